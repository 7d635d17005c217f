//! `#[derive(GpuType)]`: the layout of a struct, as rustc chose it.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Fields, GenericParam, parse_quote};

use crate::errors::Errors;

/// Expands the derive.
pub fn expand(item: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let fields = check(item, &mut errors);
    if errors.any() {
        return errors.into_tokens();
    }
    let name = &item.ident;
    let generics = bounded(item, &quote!(::warpsmith::__macro::Device));
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let plain = bounded(item, &quote!(::warpsmith::types::GpuType));
    let (plain_generics, _, plain_where) = plain.split_for_impl();
    let checks = fields.iter().map(|f| {
        let ty = &f.ty;
        quote_spanned!(ty.span().resolved_at(proc_macro2::Span::call_site())=> ::warpsmith::__macro::assert_plain::<#ty>();)
    });
    let erased = erased(item);
    let text = name.to_string();
    let arguments = item.generics.params.iter().filter_map(|p| match p {
        GenericParam::Type(t) => {
            let ident = &t.ident;
            Some(quote!(::warpsmith::__macro::type_suffix(&<#ident as ::warpsmith::__macro::Device>::ty())))
        }
        GenericParam::Const(c) => {
            let ident = &c.ident;
            Some(quote!(::std::format!("{}", #ident)))
        }
        GenericParam::Lifetime(_) => None,
    });
    let field_types = fields.iter().map(|f| {
        let (ident, ty) = (&f.ident, &f.ty);
        let text = ident.to_token_stream().to_string();
        quote_spanned! {ty.span().resolved_at(proc_macro2::Span::call_site())=>
            ::warpsmith::ir::FieldType {
                name: #text,
                ty: ::warpsmith::__macro::field_type::<#ty>(),
                offset: ::core::mem::offset_of!(Self, #ident),
            }
        }
    });
    let idents: Vec<_> = fields.iter().map(|f| &f.ident).collect();
    let constant = constant_impl(item, &idents);
    quote! {
        impl #impl_generics ::warpsmith::__macro::Device for #name #ty_generics #where_clause {
            type Erased = #erased;
            fn ty() -> ::warpsmith::ir::Type {
                ::warpsmith::__macro::struct_type(
                    #text,
                    &[#(#arguments),*],
                    ::std::vec![#(#field_types),*],
                    ::core::mem::size_of::<Self>(),
                    ::core::mem::align_of::<Self>(),
                )
            }
        }

        // SAFETY: `repr(C)`, every field is `GpuType`, and `Device` requires `Copy` of it.
        unsafe impl #plain_generics ::warpsmith::types::GpuType for #name #ty_generics #plain_where {}

        const _: () = {
            #[allow(dead_code)]
            fn fields_are_plain #plain_generics () #plain_where { #(#checks)* }
        };

        #constant
    }
}

fn check(item: &DeriveInput, errors: &mut Errors) -> Vec<syn::Field> {
    let repr_c = item
        .attrs
        .iter()
        .any(|a| a.path().is_ident("repr") && a.meta.to_token_stream().to_string().contains('C'));
    if !repr_c {
        errors.at(&item.ident, "a device struct needs `#[repr(C)]`, so that CUDA lays it out as Rust does");
    }
    match &item.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(named) if !named.named.is_empty() => {
                for field in named.named.iter().filter(|f| matches!(f.ty, syn::Type::Reference(_))) {
                    errors.at(
                        &field.ty,
                        "a reference cannot be a field of a device struct; use `View` or `ViewMut`",
                    );
                }
                named.named.iter().cloned().collect()
            }
            _ => {
                errors.at(&item.ident, "a device struct has named fields, at least one");
                Vec::new()
            }
        },
        _ => {
            errors.at(&item.ident, "`GpuType` can be derived for structs only");
            Vec::new()
        }
    }
}

/// The generics, with every type parameter bounded by a trait of the library.
fn bounded(item: &DeriveInput, bound: &TokenStream) -> syn::Generics {
    let mut generics = item.generics.clone();
    let types: Vec<_> = generics.type_params().map(|t| t.ident.clone()).collect();
    for ident in types {
        generics.make_where_clause().predicates.push(parse_quote!(#ident: #bound));
    }
    generics
}

/// The type with every lifetime `'static`.
fn erased(item: &DeriveInput) -> TokenStream {
    let name = &item.ident;
    let arguments = item.generics.params.iter().map(|p| match p {
        GenericParam::Lifetime(_) => quote!('static),
        GenericParam::Type(t) => {
            let ident = &t.ident;
            quote!(<#ident as ::warpsmith::__macro::Device>::Erased)
        }
        GenericParam::Const(c) => {
            let ident = &c.ident;
            quote!(#ident)
        }
    });
    quote!(#name<#(#arguments),*>)
}

/// Constants of the type, unless it has lifetimes: an address is no constant.
fn constant_impl(item: &DeriveInput, idents: &[&Option<syn::Ident>]) -> TokenStream {
    if item.generics.lifetimes().next().is_some() {
        return TokenStream::new();
    }
    let name = &item.ident;
    let generics = bounded(item, &quote!(::warpsmith::types::Constant));
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    quote! {
        impl #impl_generics ::warpsmith::types::Constant for #name #ty_generics #where_clause {
            fn to_expr(&self, _name: ::core::option::Option<&'static str>) -> ::warpsmith::ir::Expr {
                ::warpsmith::__macro::struct_constant(
                    <Self as ::warpsmith::__macro::Device>::ty(),
                    ::std::vec![#(::warpsmith::types::Constant::to_expr(&self.#idents, ::core::option::Option::None)),*],
                )
            }
        }
    }
}
