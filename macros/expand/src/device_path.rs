//! How a witness finds the device side of a function that a path names.
//!
//! A `#[gpu_fn]` has a type of its own name, the device side. For a function without one, the path finds a stand-in, whose
//! error says what to write. For a path that names nothing, rustc reports the path alone.

use crate::tokens::same_tokens;
use std::sync::OnceLock;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprPath, GenericArgument, PathArguments};

use super::foreign_names;
use super::lower::Lower;

/// The witness of a function that a path names, and its emitter.
pub struct DevicePath {
    /// Statements of the witness that bind the function.
    pub bind: TokenStream,
    /// Statements of the witness that tie the call to the device side, and ask whether it is this function's.
    pub ties: TokenStream,
    /// The emitter's use of the answer.
    pub asked: TokenStream,
}

impl Lower<'_> {
    /// The function that `path` names, as `own` learns it and `function` is bound to it; what it is called by is tied
    /// to `probe`.
    pub fn device_path(
        &mut self,
        [path, device]: [&ExprPath; 2],
        [own, function, probe]: [&Ident; 3],
        takes_closures: bool,
    ) -> DevicePath {
        let span = path.span();
        let (value, mut ties) = self.function_and_tie([path, device], [own, probe], takes_closures);
        let bind = quote_spanned!(span=> let #own = ::warpsmith::__macro::FunctionItem::new(); let #function = #value;);
        if !same_tokens(path, device) || is_one_of_std(path) || is_crate(path) {
            return DevicePath { bind, ties, asked: TokenStream::new() };
        }
        let (same, number) = self.fn_probe(span);
        ties.extend(quote_spanned!(span=> ::warpsmith::__macro::same_function(&#own, &#probe, &#same);));
        DevicePath { bind, ties, asked: quote!(__r.same_function(__t.callee(#number));) }
    }

    /// The function as `own` learns it, and what ties its device side to `probe`.
    fn function_and_tie(
        &self,
        [path, device]: [&ExprPath; 2],
        [own, probe]: [&Ident; 2],
        takes_closures: bool,
    ) -> (TokenStream, TokenStream) {
        let span = path.span();
        let got = self.hold(&quote!(#own.get()));
        let stand_in =
            || path.path.segments.last().and_then(|last| Some((stand_in(path, &last.arguments)?, last)));
        let is_own = same_tokens(path, device);
        if !is_own && path.path.segments.len() == 2 {
            let scope = Scope::of_module(path, device);
            let found = &scope.found;
            let tie = quote_spanned!(span=> #found::called_in_a_kernel(#got, &#probe););
            return (quote_spanned!(span=> #own.is(#path)), scope.wrap(&tie));
        }
        // A function of Rust's library has its device side in ours, and one of such a name needs no stand-in.
        let Some((missing, last)) = stand_in().filter(|_| is_own && !needs_no_stand_in(path)) else {
            let plain = is_own && path.path.segments.iter().all(|one| one.arguments.is_none());
            let value = quote!(#own.is(#path));
            let value = if self.guarded && plain && !takes_closures { self.hold(&value) } else { value };
            return (value, quote_spanned!(span=> #device::called_in_a_kernel(#got, &#probe);));
        };
        let scope = match single(path) {
            Some(name) => Scope::of_name(name, &missing),
            None => Scope::of_path(path, &missing),
        };
        let (found, arguments) = (&scope.found, &last.arguments);
        // A held value has a type only later, and a closure's parameters take theirs from the function at once.
        let value = if self.guarded && last.arguments.is_none() && !takes_closures {
            let value = self.hold(&quote!(#own.is(#found #arguments)));
            scope.wrap(&value)
        } else {
            quote!(#own.is(#path))
        };
        let tie = quote_spanned!(span=> #found #arguments ::called_in_a_kernel(#got, &#probe););
        let tie = scope.wrap(&tie);
        let asks = match single(path) {
            Some(name) => quote_spanned! {span=> {
                struct #name {}
                ::warpsmith::__macro::DeviceFunction::<#name>::device_function(&#probe);
            }},
            None => asks_for_path(path, probe),
        };
        (value, quote!(#tie #asks))
    }
}

/// Functions of Rust's library for which the prelude has the device side, builtins all.
const STD: [&str; 5] = ["swap", "replace", "take", "min", "max"];

/// The builtins of the prelude, one on a line; `tests/reference.rs` compares them with the sources.
const BUILTINS: &str = include_str!("builtin_names.txt");

/// The name that a path of one segment is, whatever its generic arguments.
fn single(path: &ExprPath) -> Option<&Ident> {
    let segments = &path.path.segments;
    segments
        .first()
        .filter(|_| segments.len() == 1 && path.path.leading_colon.is_none())
        .map(|one| &one.ident)
}

/// Returns whether a path is a name for which the prelude has the device side of a function of Rust's library.
fn is_one_of_std(path: &ExprPath) -> bool {
    single(path).is_some_and(|name| STD.iter().any(|std| name == std))
}

/// Returns whether a path names a function of ours or of Rust's library, as far as tokens tell.
pub fn is_library_function(path: &ExprPath) -> bool {
    const MODULES: [&str; 7] = ["std", "core", "mem", "cmp", "array", "hint", "ptr"];
    let begins = |first: &syn::PathSegment| MODULES.iter().any(|module| first.ident == module);
    match single(path) {
        Some(name) => is_one_of_std(path) || is_builtin(name),
        None => path.path.segments.first().is_some_and(begins),
    }
}

fn is_builtin(name: &Ident) -> bool {
    BUILTINS.lines().any(|builtin| name == builtin)
}

/// Returns whether a path is the name of a crate, and so of more than a function.
fn is_crate(path: &ExprPath) -> bool {
    single(path).is_some_and(|name| crates().iter().any(|own| name == own))
}

/// Attributes that rustc knows itself.
const ATTRIBUTES: &str = "allow automatically_derived cfg cfg_attr cold collapse_debuginfo const_continue coroutine coverage crate_name \
    crate_type debugger_visualizer deny deprecated doc expect export_name export_stable feature ffi_const ffi_pure forbid fundamental \
    ignore inline instruction_set lang link link_name link_ordinal link_section linkage loop_match macro_escape macro_export macro_use \
    marker may_dangle move_size_limit must_use naked no_builtins no_core no_link no_main no_mangle no_std non_exhaustive optimize \
    panic_handler panic_runtime patchable_function_entry path pin_v2 prelude_import proc_macro recursion_limit register_tool repr \
    sanitize should_panic stable target_feature test_runner thread_local track_caller type_length_limit unstable used warn \
    windows_subsystem";

/// Returns whether an import of a name would be ambiguous, which does without the stand-in: that of an attribute of rustc's, or of
/// the user's own function that a macro expands, and that the prelude or a crate has as well.
fn needs_no_stand_in(path: &ExprPath) -> bool {
    let is_ambiguous = |name: &Ident| is_builtin(name) || ATTRIBUTES.split(' ').any(|other| name == other);
    is_crate(path) || single(path).is_some_and(is_ambiguous)
}

/// The crates that any path may begin with: those that rustc, whose process this is, was given by `--extern`.
fn crates() -> &'static [String] {
    static CRATES: OnceLock<Vec<String>> = OnceLock::new();
    CRATES.get_or_init(|| {
        let given: Vec<String> =
            std::env::args_os().filter_map(|arg| arg.into_string().ok()).flat_map(arguments_in).collect();
        let after = given.windows(2).filter(|pair| pair[0] == "--extern").map(|pair| pair[1].as_str());
        let joined = given.iter().filter_map(|arg| arg.strip_prefix("--extern="));
        let name =
            |value: &str| value.split('=').next().and_then(|name| name.rsplit(':').next()).map(str::to_owned);
        // The last is one beside which kernels are often written, should the arguments not tell.
        let roots = ["std", "core", "alloc", "proc_macro", "test", "half"].map(str::to_owned);
        after.chain(joined).filter_map(name).chain(roots).collect()
    })
}

/// An argument of rustc's, or those in the file that `@path` names.
fn arguments_in(arg: String) -> Vec<String> {
    match arg.strip_prefix('@').map(std::fs::read_to_string) {
        Some(Ok(lines)) => lines.lines().map(str::to_owned).collect(),
        _ => vec![arg],
    }
}

/// The scope in which a path finds the function and its device side, or their stand-ins.
struct Scope {
    imports: TokenStream,
    /// Imports that hide the others where they find the function.
    inner: TokenStream,
    found: Ident,
}

impl Scope {
    /// For a single name: an import takes the name in each namespace. The macro of that name lets the import succeed even
    /// if the function is missing; a stand-in in a glob gives way to an import.
    fn of_name(name: &Ident, missing: &TokenStream) -> Self {
        let span = name.span();
        let mut macro_name = name.clone();
        macro_name.set_span(span.resolved_at(Span::call_site()));
        Self {
            imports: quote_spanned! {span=>
                macro_rules! #macro_name { () => {}; }
                use #missing::*;
                use #macro_name as __device_side;
            },
            inner: TokenStream::new(),
            found: Ident::new("__device_side", span.resolved_at(Span::call_site())),
        }
    }

    /// For a longer path: a glob import of the part before the name hides the stand-in outside it.
    fn of_path(path: &ExprPath, missing: &TokenStream) -> Self {
        let span = path.span();
        let mut before = path.path.clone();
        let last = before.segments.pop();
        before.segments.pop_punct();
        let found = last.map_or_else(|| Ident::new("__device_side", span), |last| last.ident);
        Self {
            imports: quote_spanned!(span=> use #missing::__device_side as #found;),
            inner: quote_spanned!(span=> use #before::*;),
            found,
        }
    }

    /// For a path whose module is Rust's or the user's own, such as `mem::swap`: a device side in that module hides the one for
    /// Rust's function.
    fn of_module(path: &ExprPath, device: &ExprPath) -> Self {
        let own = Self::of_path(path, &TokenStream::new());
        let (span, found) = (path.span(), &own.found);
        Self { imports: quote_spanned!(span=> use #device as #found;), ..own }
    }

    fn wrap(&self, body: &TokenStream) -> TokenStream {
        let Self { imports, inner, .. } = self;
        if inner.is_empty() { quote!({ #imports #body }) } else { quote!({ #imports { #inner #body } }) }
    }
}

/// Asks for the device side of the function that a longer path names. Where the path ends as one of Rust's library that
/// kernels lack, the message says what to write instead.
fn asks_for_path(path: &ExprPath, probe: &Ident) -> TokenStream {
    let span = path.span();
    let names: Vec<String> = path.path.segments.iter().map(|one| one.ident.to_string()).collect();
    let Some((name, ours)) = foreign_names::imported_std_function(&names) else {
        return quote_spanned!(span=> ::warpsmith::__macro::DeviceFunctionOfPath::device_function(&#probe););
    };
    let message = format!("`{name}` has no device side, so a kernel cannot call it");
    let note = format!("where `{name}` is a function of your own, write `#[gpu_fn]` above it");
    quote_spanned! {span=> {
        #[diagnostic::on_unimplemented(message = #message, label = #ours, note = #note)]
        trait FunctionOfStd: Sized {
            fn device_function(_: &::warpsmith::__macro::FnProbe<Self>) {}
        }
        #[diagnostic::do_not_recommend]
        impl<__M: ::warpsmith::__macro::DeviceFn> FunctionOfStd for __M {}
        FunctionOfStd::device_function(&#probe);
    }}
}

/// Returns whether a path may name `core::array::from_fn`: it is that name alone, or ends in `array::from_fn`.
fn makes_array(path: &ExprPath) -> bool {
    let mut names = path.path.segments.iter().rev().map(|one| &one.ident);
    names.next().is_some_and(|last| last == "from_fn") && names.next().is_none_or(|before| before == "array")
}

/// The module of the stand-in of a path with these generic arguments; `None` where there is none.
fn stand_in(path: &ExprPath, arguments: &PathArguments) -> Option<TokenStream> {
    if makes_array(path) {
        return match arguments {
            PathArguments::None => Some(quote!(::warpsmith::__macro::array_from_fn::plain)),
            PathArguments::AngleBracketed(list) if list.args.len() == 3 => {
                Some(quote!(::warpsmith::__macro::array_from_fn::written))
            }
            _ => None,
        };
    }
    let kinds: String = match arguments {
        PathArguments::AngleBracketed(list) => list.args.iter().map(kind).collect::<Option<_>>()?,
        _ => String::new(),
    };
    let known = ["", "t", "c", "tt", "tc", "cc"].contains(&kinds.as_str());
    let module = format_ident!("plain{kinds}");
    known.then(|| quote!(::warpsmith::__macro::missing::#module))
}

/// Whether a generic argument is a type or a constant, as far as tokens tell.
fn kind(argument: &GenericArgument) -> Option<char> {
    match argument {
        GenericArgument::Const(Expr::Lit(_) | Expr::Block(_) | Expr::Unary(_)) => Some('c'),
        GenericArgument::Type(ty) => {
            let text = ty.to_token_stream().to_string();
            let constant = text.len() > 1 && text.chars().all(|c| c.is_uppercase() || c == '_');
            Some(if constant || ["N", "M", "K"].contains(&text.as_str()) { 'c' } else { 't' })
        }
        _ => None,
    }
}
