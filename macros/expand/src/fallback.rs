//! Stand-ins for items with mistakes; their users see no errors of their own.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{ItemFn, ItemImpl, ItemTrait};

use super::signature;
use crate::errors::Errors;
use crate::fragments::has_fragments;

/// The errors, and a kernel of the same name and signature.
pub fn kernel(item: &ItemFn, comptime: &TokenStream, host_fn: &TokenStream, errors: Errors) -> TokenStream {
    let (vis, name) = (&item.vis, &item.sig.ident);
    let mut generics = signature::without_lifetimes(&item.sig.generics);
    for param in generics.type_params_mut() {
        param.bounds.push(syn::parse_quote!('static));
    }
    let (declarations, types) = signature::bare_declarations(&generics);
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let errors = errors.into_tokens();
    quote! {
        #errors
        #[allow(non_camel_case_types)]
        #vis struct #name<#(#declarations),*> { _generics: ::core::marker::PhantomData<fn() -> (#(#types,)*)> }
        #[doc(hidden)]
        #[allow(warnings)]
        impl #impl_generics ::warpsmith::KernelDefinition for #name #ty_generics #where_clause {
            const NAME: &'static str = "";
            const PARAMS: &'static [&'static str] = &[];
            type Comptime = #comptime;
            type Args = [::warpsmith::KernelArg; 0];
            const ATTRIBUTES: ::warpsmith::ir::KernelAttributes = ::warpsmith::ir::KernelAttributes::NONE;
            const AT: ::warpsmith::ir::Location = ::warpsmith::ir::Location { file: "", line: 0 };
            const COMPTIME: &'static [::core::option::Option<&'static str>] = &[];
            fn emit(_: &Self::Comptime, _: &mut ::warpsmith::__macro::Recorder) {
                ::core::unreachable!()
            }
            fn comptime_of(_: &[::warpsmith::ir::Expr]) -> ::core::option::Option<Self::Comptime> {
                ::core::option::Option::None
            }
            fn run_thread(_: &Self::Comptime, _: &[::warpsmith::KernelArg]) {}
        }
        #[allow(warnings)]
        #host_fn
    }
}

/// A function whose body does not parse: what the attribute makes of its signature, for those who use it, and the body for rustc
/// to parse and nothing else. Of a body with fragments of `macro_rules` rustc may have nothing to say.
pub fn unparsed(
    item: TokenStream,
    error: &syn::Error,
    expand: impl FnOnce(&ItemFn) -> TokenStream,
) -> TokenStream {
    let error = error.to_compile_error();
    let Ok(Unparsed { vis, sig }) = syn::parse2(item.clone()) else { return error };
    let error = has_fragments(item.clone()).then_some(error);
    let signature = quote!(#[allow(warnings)] #vis #sig { loop {} });
    match crate::parsed(signature) {
        Ok(function) => {
            let usable = expand(&function);
            quote!(#usable #error #[cfg(any())] #item)
        }
        Err(_) => quote!(#error #item),
    }
}

/// A function with any tokens as its body.
struct Unparsed {
    vis: syn::Visibility,
    sig: syn::Signature,
}

impl Parse for Unparsed {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        input.call(syn::Attribute::parse_outer)?;
        let (vis, sig) = (input.parse()?, input.parse()?);
        input.parse::<proc_macro2::Group>()?;
        Ok(Self { vis, sig })
    }
}

/// The errors, and the function itself with an empty body.
pub fn function(hidden: &TokenStream, errors: Errors) -> TokenStream {
    let errors = errors.into_tokens();
    quote!(#errors #hidden)
}

/// The errors alone: methods of a broken block stay unknown.
pub fn implementation(_item: &ItemImpl, errors: Errors) -> TokenStream {
    errors.into_tokens()
}

/// The errors alone.
pub fn trait_(_item: &ItemTrait, errors: Errors) -> TokenStream {
    errors.into_tokens()
}
