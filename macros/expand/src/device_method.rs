//! The witness of a method or an associated function without a device side.
//!
//! A hidden method stands beside each one that `#[gpu_impl]` read. If there is none, rustc finds only a candidate whose
//! bound nothing satisfies, and the words of that bound tell the user what to write.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use crate::foreign_names::std_method;
use crate::rustc_span;

/// Methods that values of the library have: of these rustc finds other candidates too, and speaks of all.
const LIBRARY: &str = " __get_part __get_part_mut __get_rest __get_rest_mut abs abs_diff acos acosh add and and_then as_mut as_mut_ptr as_ptr as_ref asin \
    asinh atan atan2 atanh binary_search binary_search_by binary_search_by_key block borrowing_sub carrying_add carrying_mul cast cast_signed cast_unsigned \
    cbrt ceil checked_abs checked_add checked_add_signed checked_add_unsigned checked_div \
    checked_div_euclid checked_ilog10 checked_ilog2 checked_mul checked_neg checked_next_multiple_of \
    checked_next_power_of_two checked_pow checked_rem checked_rem_euclid checked_shl checked_shr \
    checked_sub checked_sub_unsigned clamp clone cloned compare_exchange compare_exchange_weak contains copied \
    copy_from_slice copysign cos cosh count_ones count_zeros div_ceil div_euclid dot ends_with eq_ignore_ascii_case \
    err exp exp2 exp_m1 extend fetch fetch_add fetch_and fetch_dec fetch_inc fetch_max fetch_min fetch_or \
    fetch_sub fetch_xor fill filter first_mut flatten floor fract from get get_mut get_or_insert get_or_insert_with \
    height hypot ilog ilog10 ilog2 insert into is_ascii is_ascii_alphabetic is_ascii_alphanumeric \
    is_ascii_control is_ascii_digit is_ascii_hexdigit is_ascii_lowercase is_ascii_punctuation \
    is_ascii_uppercase is_ascii_whitespace is_empty is_err is_err_and is_finite is_infinite is_multiple_of \
    is_nan is_negative is_none is_none_or is_normal is_null is_ok is_ok_and is_positive is_power_of_two \
    is_sign_negative is_sign_positive is_some is_some_and is_sorted is_subnormal isqrt last last_mut leading_ones leading_zeros \
    len length ln ln_1p load log log10 log2 map map_err map_or map_or_else max midpoint min mul_add \
    next_down next_multiple_of next_power_of_two next_up normalize offset ok ok_or ok_or_else or or_else \
    overflowing_abs overflowing_add overflowing_add_signed overflowing_div overflowing_mul overflowing_neg \
    overflowing_pow overflowing_rem overflowing_shl overflowing_shr overflowing_sub partition_point pow powf powi read \
    recip reinterpret reinterpret_mut rem_euclid replace reverse_bits rotate_left rotate_right round \
    round_ties_even sample saturating_abs saturating_add saturating_add_signed saturating_add_unsigned \
    saturating_div saturating_mul saturating_neg saturating_pow saturating_sub saturating_sub_unsigned \
    signum sin sin_cos sinh split_at split_at_mut split_first split_first_mut split_last split_last_mut sqrt starts_with store sub sum swap swap_bytes take tan tanh then \
    then_some to_array to_ascii_lowercase to_ascii_uppercase to_be to_be_bytes to_bits to_degrees to_f32 \
    to_f64 to_int_unchecked to_le to_le_bytes to_ne_bytes to_radians trailing_ones trailing_zeros trim_ascii trim_ascii_end trim_ascii_start trunc try_from try_into \
    unbounded_shl unbounded_shr unsigned_abs unwrap unwrap_err unwrap_or unwrap_or_default unwrap_or_else \
    width wrapping_abs wrapping_add wrapping_add_signed wrapping_add_unsigned wrapping_div \
    wrapping_div_euclid wrapping_mul wrapping_neg wrapping_offset wrapping_pow wrapping_rem \
    wrapping_rem_euclid wrapping_shl wrapping_shr wrapping_sub wrapping_sub_unsigned write xor zip ";

/// Those of them that types of the user's often have as well. No other candidate of the library is found for these.
const OFTEN_OWN: [&str; 15] = [
    "abs",
    "add",
    "dot",
    "extend",
    "height",
    "insert",
    "length",
    "load",
    "normalize",
    "read",
    "store",
    "sub",
    "sum",
    "width",
    "write",
];

/// Associated functions that traits of the library have for its types.
const ASSOCIATED: [&str; 8] = [
    "from_array",
    "from_be_bytes",
    "from_bits",
    "from_f32",
    "from_f64",
    "from_le_bytes",
    "from_ne_bytes",
    "from_raw_parts",
];

/// Returns whether values of the library have a method of this name.
fn in_library(name: &Ident) -> bool {
    LIBRARY.contains(&format!(" {name} "))
}

/// Returns whether a name is that of methods of the library, and seldom of a user's own.
pub fn is_of_library_alone(name: &Ident) -> bool {
    in_library(name) && !OFTEN_OWN.iter().any(|own| name == own)
}

/// A name that a body calls on a value, or at the end of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Called {
    OnValue,
    /// With this number of arguments.
    AtPath(usize),
}

/// The methods and associated functions that a body calls, each once.
#[derive(Default)]
pub struct DeviceMethods(Vec<(Ident, Called)>);

impl DeviceMethods {
    /// The number of a name, which is that of its items.
    fn number(&mut self, name: &Ident, called: Called) -> usize {
        if let Some(known) = self.0.iter().position(|(n, c)| n == name && *c == called) {
            return known;
        }
        self.0.push((name.clone(), called));
        self.0.len() - 1
    }

    /// The items that the calls of the witness find where nothing else is.
    ///
    /// `asked` finds out whether the body has mistakes, if nothing of it is generic: then the items report none of their
    /// own.
    pub fn items(&self, asked: Option<&TokenStream>) -> TokenStream {
        let at_path = self.0.iter().any(|(_, called)| *called != Called::OnValue);
        let sound = asked.filter(|_| at_path).map(sound);
        let value = sound.as_ref().map_or_else(|| quote!(0), |_| quote!(__SOUND));
        let item = |(number, (name, called)): (usize, &(Ident, Called))| items(number, name, *called, &value);
        self.0.iter().enumerate().map(item).chain(sound.iter().cloned()).collect()
    }

    /// The receiver of a call of `method` in the witness, where rustc looks for its device side.
    pub fn receiver(&mut self, method: &Ident, receiver: &TokenStream) -> TokenStream {
        if is_of_library_alone(method) {
            return receiver.clone();
        }
        let number = self.number(method, Called::OnValue);
        let lookup = format_ident!("__lookup{number}", span = method.span());
        quote_spanned!(method.span()=> (*#lookup(&#receiver)))
    }

    /// Notes an associated function that the body calls.
    pub fn associated(&mut self, function: &Ident, arguments: usize) {
        if ASSOCIATED.iter().any(|name| function == name) {
            return;
        }
        self.number(function, Called::AtPath(arguments));
    }
}

/// A constant that has no value if the body has mistakes.
fn sound(asked: &TokenStream) -> TokenStream {
    quote! {
        const __SOUND: usize = {
            let _ = || { #asked };
            0
        };
    }
}

/// The hidden twin-typed method that witnesses a call of `name`.
///
/// For a name that it does not find, rustc proposes those that begin with it and are at most twice as long. It then looks at
/// [`at_path`]'s candidates, whose bound depends on the body that it is checking. So hidden names are longer.
pub fn hidden_method(name: &Ident) -> Ident {
    const SUFFIX: &str = "_in_kernels";
    let known = in_library(name) || ASSOCIATED.iter().any(|associated| name == associated);
    let missing = (name.to_string().len() + 1).saturating_sub(SUFFIX.len());
    let longer = "_".repeat(if known { 0 } else { missing });
    format_ident!("{name}{SUFFIX}{longer}", span = name.span())
}

/// The hidden method that witnesses a call of `name` whose result is walked, where slices have a method of that name. It has a
/// name of its own, because what slices give there is no value of a kernel.
pub fn walked_method(name: &Ident) -> Option<Ident> {
    const PARTS: [&str; 5] = ["chunks", "chunks_mut", "chunks_exact", "chunks_exact_mut", "windows"];
    PARTS
        .iter()
        .any(|parts| name == parts)
        .then(|| format_ident!("{name}_in_kernel_loops", span = name.span()))
}

/// A name that no other function declares: of those rustc shows the last part alone.
fn numbered(name: &str, number: usize, span: Span) -> Ident {
    format_ident!("{name}{}_{number}", rustc_span::line(span), span = span)
}

fn items(number: usize, name: &Ident, called: Called, sound: &TokenStream) -> TokenStream {
    let span = name.span();
    let bound = numbered("GpuImpl", number, span);
    let message = format!("`{name}` has no device side, so a kernel cannot call it");
    let own = format!("write `#[gpu_impl]` above the `impl` that holds `{name}`");
    let variant = match called {
        Called::AtPath(_) => {
            format!("; where `{name}` is a variant, let its name begin with a capital letter")
        }
        Called::OnValue => String::new(),
    };
    let (label, note) = match std_method(&name.to_string()) {
        Some(ours) => (ours.to_owned(), format!("where `{name}` is a method of your own, {own}")),
        None => (
            own,
            format!("where the `impl` is one of a trait, write `#[gpu_trait]` above the trait too{variant}"),
        ),
    };
    let declared = quote_spanned! {span=>
        #[diagnostic::on_unimplemented(message = #message, label = #label, note = #note)]
        trait #bound<const __SOUND: usize = 0> {}
    };
    let candidate = match called {
        Called::OnValue => on_value(number, name, &bound),
        // rustc would report two candidates that both apply.
        Called::AtPath(arguments) if in_library(name) => at_path(number, name, arguments, &bound, &quote!(0)),
        Called::AtPath(arguments) => at_path(number, name, arguments, &bound, sound),
    };
    quote!(#declared #candidate)
}

/// A function of every type that has the bound: none, or each if the twin has mistakes.
fn at_path(number: usize, name: &Ident, arguments: usize, bound: &Ident, sound: &TokenStream) -> TokenStream {
    let (span, hidden) = (name.span(), hidden_method(name));
    let functions = numbered("CalledInKernels", number, span);
    let types: Vec<Ident> = (0..=arguments).map(|i| format_ident!("__A{i}")).collect();
    quote_spanned! {span=>
        trait #functions {
            fn #hidden<#(#types,)* __R>(#(_: #types),*) -> __R { ::warpsmith::__macro::never_called() }
        }
        impl<__T: #bound<{ #sound }>> #functions for __T {}
    }
}

/// A method of a trait object that dereferences to what the method is called on: rustc blames no item of it.
fn on_value(number: usize, name: &Ident, bound: &Ident) -> TokenStream {
    let (span, hidden) = (name.span(), hidden_method(name));
    let object = numbered("InKernel", number, span);
    let lookup = format_ident!("__lookup{number}", span = span);
    quote_spanned! {span=>
        trait #object<__T> {}
        impl<__T> ::core::ops::Deref for dyn #object<__T> {
            type Target = __T;
            fn deref(&self) -> &__T { ::warpsmith::__macro::never_called() }
        }
        impl<__T> ::core::ops::DerefMut for dyn #object<__T> {
            fn deref_mut(&mut self) -> &mut __T { ::warpsmith::__macro::never_called() }
        }
        impl<__T> dyn #object<__T> where Self: #bound {
            fn #hidden(&self) {}
        }
        fn #lookup<__T>(_: &__T) -> &'static mut (dyn #object<__T> + 'static) {
            ::warpsmith::__macro::never_called()
        }
    }
}
