//! Stand-ins for items with mistakes; their users see no errors of their own.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{ItemFn, ItemImpl, ItemTrait};

use super::signature;
use crate::errors::Errors;

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

/// A function whose body does not parse: its signature, with the body for rustc to judge. Of a body with fragments of `macro_rules`
/// rustc may have nothing to say.
pub fn unparsed(item: TokenStream, error: &syn::Error) -> TokenStream {
    let error = error.to_compile_error();
    match syn::parse2::<Unparsed>(item.clone()) {
        Err(_) => error,
        Ok(_) if has_fragments(item.clone()) => quote!(#error #item),
        Ok(_) => item,
    }
}

fn has_fragments(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::None || has_fragments(group.stream()),
        _ => false,
    })
}

/// A function with any tokens as its body.
struct Unparsed;

impl Parse for Unparsed {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        input.call(syn::Attribute::parse_outer)?;
        input.parse::<syn::Visibility>()?;
        input.parse::<syn::Signature>()?;
        input.parse::<proc_macro2::Group>()?;
        Ok(Self)
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
