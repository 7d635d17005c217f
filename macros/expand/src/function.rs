//! `#[gpu_fn]`: the twin, and a type of the same name that witnesses and records calls.

use std::sync::atomic::{AtomicUsize, Ordering};

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{Block, ItemFn, Signature};

use super::held_body::HeldBody;
use super::inner_function::InnerFunction;
use super::plain::PlainForms;
use super::recording::{self, Recording};
use super::signature;
use super::twin::twin;
use super::types::Slices;
use crate::errors::Errors;
use crate::visitor::{Below, Visit, VisitMut};
use syn::visit;

/// A device function, expanded.
struct Expanded {
    /// The function for the host.
    twin: TokenStream,
    /// That with the device side, and with the errors if there are any.
    all: TokenStream,
}

/// Expands a device function.
pub fn expand(item: &ItemFn) -> TokenStream {
    expand_as(item, &quote!(Self)).all
}

/// Expands a device function whose instances are told apart by the name of the type `key`.
fn expand_as(item: &ItemFn, key: &TokenStream) -> Expanded {
    let mut errors = Errors::default();
    let mut item = item.clone();
    PlainForms::default().visit_item_fn_mut(&mut item);
    super::foreign_names::replace_types(&mut item, &mut errors);
    signature::refuse_lent_closures(&mut item.sig, &mut errors);
    if super::iterator_params::refuse(&mut item.sig, &mut errors) {
        item.block = syn::parse_quote!({ loop {} });
    }
    let mut shown = item.sig.clone();
    signature::name_impl_params(&mut item.sig);
    super::foreign::add_device_bounds(&mut shown.generics);
    super::foreign::add_device_bounds(&mut item.sig.generics);
    super::copied::of_function(&mut shown);
    super::copied::of_function(&mut item.sig);
    let params = signature::params(&item.sig, None, &mut errors);
    signature::without_impl_result(&mut shown);
    if signature::without_impl_result(&mut item.sig) {
        item.block = syn::parse_quote!({});
    }
    refuse_unbounded(&item.sig, &params, &mut errors);
    refuse_capital(&item.sig.ident, &mut errors);
    for param in params.iter().filter(|p| p.kind == super::lower::Name::Comptime) {
        errors
            .at(&param.pat, "`#[comptime]` belongs on a kernel; give a `#[gpu_fn]` a const generic instead");
    }
    if let Some(receiver) = item.sig.receiver() {
        let mut errors = Errors::default();
        errors.at(
            receiver,
            "`self` needs `#[gpu_impl]` above the `impl` block, instead of `#[gpu_fn]` on the function",
        );
        let stand_in = super::impls::stand_in(&item.sig);
        let all = super::fallback::function(&quote!(#[allow(warnings)] #item #stand_in), errors);
        return Expanded { twin: all.clone(), all };
    }
    for input in item.sig.inputs.iter_mut().chain(&mut shown.inputs) {
        if let syn::FnArg::Typed(typed) = input {
            typed.attrs.clear();
        }
    }
    super::body_check::check(&item.block, &params, &item.sig.generics, &mut errors);
    let attributes = recording::of_attributes(&item.attrs);
    let name = &item.sig.ident;
    let held = HeldBody { owner: quote!(Self), name: format_ident!("__held_body"), generic: false };
    let plain = signature::instance_generics(&item.sig.generics).params.is_empty().then(|| quote!(#name));
    let guard = held.guard(plain.as_ref(), &item.sig.generics);
    let mut recording =
        recording::recording(&params, &item.sig.output, &item.block, Some(&guard), &mut errors);
    recording.emitter.extend(attributes);
    let twin = twin_fn(&item, &shown, errors.any());
    let held = held.function(&item.sig, &params, &item.block);
    let broken = errors.any() || lacks_lifetime(&item.sig);
    let hidden = hidden_type(&item, &recording, &held, key, broken);
    let both = quote!(#twin #hidden);
    let all = if errors.any() { super::fallback::function(&both, errors) } else { both };
    Expanded { twin, all }
}

/// Expands a function in the body of another: a device function, with the attribute or without.
///
/// It is no attribute for rustc to expand: names of an outer scope would be ambiguous with that of what it gives. A number tells
/// it from others of its name, which rustc names alike if they are in blocks of one function. Its mistakes are reported by the
/// witness alone.
pub fn inner(item: &ItemFn) -> InnerFunction {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let mut item = item.clone();
    item.attrs.retain(|attr| attr.path().segments.last().is_none_or(|last| last.ident != "gpu_fn"));
    // Constants of the emitter may call a function that is constant.
    let emit = item.sig.constness.map(|_| item.to_token_stream()).unwrap_or_default();
    let Expanded { twin, all } = expand_as(&item, &quote!((Self, [(); #number])));
    InnerFunction { twin, witness: all, emit }
}

/// Refuses parameters of a generic type without bounds: no value of such a type can be read.
fn refuse_unbounded(sig: &Signature, params: &[signature::Param], errors: &mut Errors) {
    for name in signature::unbounded(&sig.generics) {
        if params.iter().any(|p| {
            signature::type_parameter(&p.written, &sig.generics).as_ref() == Some(&name.ident.to_string())
        }) {
            errors.at(name, signature::needs_bound(&name.ident));
        }
    }
}

/// Returns whether a result is a reference, and two or more parameters may be its source: rustc reports that once.
fn lacks_lifetime(sig: &Signature) -> bool {
    struct Elided(usize);
    impl<'a> Visit<'a> for Elided {
        fn this(&mut self) -> &mut dyn Visit<'a> {
            self
        }

        fn visit_type_reference(&mut self, ty: &'a syn::TypeReference) {
            self.0 += usize::from(ty.lifetime.is_none());
            visit::visit_type_reference(&mut Below(self), ty);
        }
        fn visit_parenthesized_generic_arguments(&mut self, _: &'a syn::ParenthesizedGenericArguments) {}
    }
    let (mut inputs, mut output) = (Elided(0), Elided(0));
    sig.inputs.iter().for_each(|input| inputs.visit_fn_arg(input));
    output.visit_return_type(&sig.output);
    output.0 > 0 && inputs.0 > 1
}

/// A call of a name that begins with a capital makes a struct or a variant, as far as tokens tell.
fn refuse_capital(name: &syn::Ident, errors: &mut Errors) {
    let text = name.to_string();
    if text.starts_with(char::is_uppercase) {
        let message = format!(
            "a `#[gpu_fn]` begins with a small letter, as `{}`: in a kernel `{text}(…)` makes a struct or a variant",
            text.to_lowercase()
        );
        errors.at(name, message);
    }
}

/// The function itself with the signature `shown`, whose generic arguments a call may write; with an empty body when
/// the body has mistakes.
fn twin_fn(item: &ItemFn, shown: &Signature, broken: bool) -> TokenStream {
    let (attrs, vis) = (&item.attrs, &item.vis);
    if broken {
        let sig = twin_signature(shown);
        quote!(#(#attrs)* #[allow(warnings)] #vis #sig { ::core::unimplemented!() })
    } else {
        let (sig, body) = twin_of(shown, &item.block);
        quote!(#(#attrs)* #vis #sig #body)
    }
}

/// The twin of a function or method.
pub fn twin_of(sig: &Signature, block: &Block) -> (Signature, Block) {
    let (mut sig, mut block) = (sig.clone(), block.clone());
    super::reread::bind(&mut sig, &mut block);
    (twin_signature(&sig), twin(&block, Some(&sig)))
}

/// The signature with slices as descriptors.
pub fn twin_signature(sig: &Signature) -> Signature {
    let mut sig = sig.clone();
    Slices.visit_signature_mut(&mut sig);
    sig
}

fn hidden_type(
    item: &ItemFn,
    recording: &Recording,
    held_body: &TokenStream,
    key: &TokenStream,
    broken: bool,
) -> TokenStream {
    let (vis, name) = (&item.vis, &item.sig.ident);
    let text = name.to_string();
    let generics = signature::instance_generics(&item.sig.generics);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let written = signature::written_generics(&item.sig.generics);
    let (declarations, types) = signature::bare_declarations(&written);
    let instance = signature::instance_arguments(&written);
    let instance = quote!(#name<#(#instance),*>);
    let (call_generics, call_types, call_clause) = written.split_for_impl();
    let (sig, at, quiet) = (twin_signature(&item.sig), signature::location(name), signature::quiet());
    let lifetimes = item.sig.generics.lifetimes();
    let closures = signature::unnamed_closures(&item.sig.generics);
    let (inputs, output) = (signature::input_types(&sig), &sig.output);
    let unsafety = &item.sig.safety;
    let called = quote!(#unsafety fn(#(#inputs),*) #output);
    let (called, anything) =
        if lacks_lifetime(&sig) { (quote!(__C), Some(quote!(__C))) } else { (called, None) };
    let (body, held_body) =
        if broken { (quote!(), quote!()) } else { (recording.record(), held_body.clone()) };
    quote! {
        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        #vis struct #name<#(#declarations),*> { _generics: ::core::marker::PhantomData<fn() -> (#(#types,)*)> }

        #quiet
        impl #call_generics #name #call_types #call_clause {
            #vis fn called_in_a_kernel<#(#lifetimes,)* #(#closures,)* #anything>(_: #called, _: &::warpsmith::__macro::FnProbe<#instance>) {}
        }

        #quiet
        impl #impl_generics #instance #where_clause {
            fn __record(__r: &mut ::warpsmith::__macro::Recorder) { #body }

            #held_body
        }

        #quiet
        impl #impl_generics ::warpsmith::__macro::DeviceFn for #instance #where_clause {
            fn callee() -> ::warpsmith::__macro::Callee {
                ::warpsmith::__macro::Callee::Device(::warpsmith::__macro::DeviceCallee {
                    key: ::core::any::type_name::<#key>(),
                    name: #text,
                    at: #at,
                    record: Self::__record,
                })
            }
        }
    }
}
