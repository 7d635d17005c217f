//! `#[gpu_fn]`: the twin, and a type of the same name that witnesses and records calls.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{ItemFn, Signature};

use super::plain::PlainForms;
use super::signature::{self, Recording};
use super::twin::twin;
use super::types::Slices;
use crate::errors::Errors;
use syn::visit_mut::VisitMut;

/// Expands a device function.
pub fn expand(item: &ItemFn) -> TokenStream {
    let mut errors = Errors::default();
    let mut item = item.clone();
    PlainForms.visit_item_fn_mut(&mut item);
    super::foreign_names::replace_types(&mut item, &mut errors);
    let mut shown = item.sig.clone();
    signature::name_impl_params(&mut item.sig);
    super::foreign::add_device_bounds(&mut shown.generics);
    super::foreign::add_device_bounds(&mut item.sig.generics);
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
        return super::fallback::function(&quote!(#[allow(warnings)] #item #stand_in), errors);
    }
    for input in item.sig.inputs.iter_mut().chain(&mut shown.inputs) {
        if let syn::FnArg::Typed(typed) = input {
            typed.attrs.clear();
        }
    }
    super::body_check::check(&item.block, &params, &item.sig.generics, &mut errors);
    let inlining = signature::inlining(&item.attrs);
    let mut recording = signature::recording(&params, &item.sig.output, &item.block, &mut errors);
    recording.emitter.extend(inlining);
    let twin_fn = twin_fn(&item, &shown, errors.any());
    let hidden = hidden_type(&item, &recording, errors.any());
    let both = quote!(#twin_fn #hidden);
    if errors.any() { super::fallback::function(&both, errors) } else { both }
}

/// Refuses parameters of a generic type without bounds: no value of such a type can be read.
fn refuse_unbounded(sig: &Signature, params: &[signature::Param], errors: &mut Errors) {
    for name in super::kernel::unbounded(&sig.generics) {
        if params.iter().any(|p| {
            signature::type_parameter(&p.written, &sig.generics).as_ref() == Some(&name.ident.to_string())
        }) {
            errors.at(name, super::kernel::needs_bound(&name.ident));
        }
    }
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
    let sig = twin_signature(shown);
    let body = twin(&item.block, item.sig.constness.is_some(), false);
    if broken {
        quote!(#(#attrs)* #[allow(warnings)] #vis #sig { ::core::unimplemented!() })
    } else {
        quote!(#(#attrs)* #vis #sig #body)
    }
}

/// The signature with slices as descriptors.
pub fn twin_signature(sig: &Signature) -> Signature {
    let mut sig = sig.clone();
    Slices.visit_signature_mut(&mut sig);
    sig
}

fn hidden_type(item: &ItemFn, recording: &Recording, broken: bool) -> TokenStream {
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
    let body = if broken { quote!() } else { recording.record() };
    quote! {
        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        #vis struct #name<#(#declarations),*> { _generics: ::core::marker::PhantomData<fn() -> (#(#types,)*)> }

        #quiet
        impl #call_generics #name #call_types #call_clause {
            #vis fn called_in_a_kernel<#(#lifetimes,)* #(#closures),*>(_: #unsafety fn(#(#inputs),*) #output, _: &::warpsmith::__macro::FnProbe<#instance>) {}
        }

        #quiet
        impl #impl_generics #instance #where_clause {
            fn __record(__r: &mut ::warpsmith::__macro::Recorder) { #body }
        }

        #quiet
        impl #impl_generics ::warpsmith::__macro::DeviceFn for #instance #where_clause {
            fn callee() -> ::warpsmith::__macro::Callee {
                ::warpsmith::__macro::Callee::Device(::warpsmith::__macro::DeviceCallee {
                    key: ::core::any::type_name::<Self>(),
                    name: #text,
                    at: #at,
                    record: Self::__record,
                })
            }
        }
    }
}
