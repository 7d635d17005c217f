//! `#[gpu(PartialOrd)]` and `#[gpu(Ord)]`: the order by the first fields that differ, in Rust and on the device.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Fields};

use super::derive::bounded;
use super::derive_enum::{field_pattern, tags};
use super::derive_wanted::Wanted;

/// Expands to the traits of Rust that are wanted, and to those of the device.
pub fn expand(item: &DeriveInput, wanted: &Wanted) -> TokenStream {
    let eq = wanted.eq.then(|| {
        let generics = of_both(item, &quote!(Eq));
        let (name, (impl_generics, ty_generics, where_clause)) = (&item.ident, generics.split_for_impl());
        quote!(impl #impl_generics ::core::cmp::Eq for #name #ty_generics #where_clause {})
    });
    let partial = wanted.partial_order.then(|| partial(item));
    let total = wanted.order.then(|| total(item));
    quote!(#eq #partial #total)
}

fn partial(item: &DeriveInput) -> TokenStream {
    let body = by_parts(
        item,
        &quote!(::core::cmp::PartialOrd::partial_cmp),
        &quote!(::core::option::Option::Some(::core::cmp::Ordering::Equal)),
    );
    let generics = of_both(item, &quote!(PartialOrd));
    let (name, (impl_generics, ty_generics, where_clause)) = (&item.ident, generics.split_for_impl());
    // What an enum without fields has follows from its own order.
    let device = (!is_plain_enum(item)).then(|| {
        quote! {
            impl #impl_generics ::warpsmith::__macro::operators::PartialOrd for #name #ty_generics #where_clause {
                type Compared = ::warpsmith::__macro::ordered::partial_order<Self>;
            }
        }
    });
    quote! {
        #[automatically_derived]
        impl #impl_generics ::core::cmp::PartialOrd for #name #ty_generics #where_clause {
            fn partial_cmp(&self, __other: &Self) -> ::core::option::Option<::core::cmp::Ordering> { #body }
        }
        #device
    }
}

fn total(item: &DeriveInput) -> TokenStream {
    let body = by_parts(item, &quote!(::core::cmp::Ord::cmp), &quote!(::core::cmp::Ordering::Equal));
    let generics = of_both(item, &quote!(Ord));
    let (name, (impl_generics, ty_generics, where_clause)) = (&item.ident, generics.split_for_impl());
    let device = (!is_plain_enum(item)).then(|| {
        quote! {
            impl #impl_generics ::warpsmith::__macro::operators::Ord for #name #ty_generics #where_clause {
                type Larger = ::warpsmith::__macro::ordered::larger<Self>;
                type Smaller = ::warpsmith::__macro::ordered::smaller<Self>;
                type Clamped = ::warpsmith::__macro::ordered::clamped<Self>;
            }
        }
    });
    quote! {
        #[automatically_derived]
        impl #impl_generics ::core::cmp::Ord for #name #ty_generics #where_clause {
            fn cmp(&self, __other: &Self) -> ::core::cmp::Ordering { #body }
        }
        #device
    }
}

/// The generics with a trait of Rust on each parameter, and the bounds of `==`, without which there is no order.
fn of_both(item: &DeriveInput, wanted: &TokenStream) -> syn::Generics {
    let bound = quote!(::core::cmp::#wanted + ::warpsmith::__macro::operators::PartialEq + ::warpsmith::types::GpuType);
    bounded(item, &bound)
}

/// Returns whether the type is an enum that `derive(GpuType)` itself orders.
fn is_plain_enum(item: &DeriveInput) -> bool {
    match &item.data {
        Data::Enum(data) => {
            item.generics.params.is_empty() && data.variants.iter().all(|v| v.fields.is_empty())
        }
        _ => false,
    }
}

/// The body of a comparison by `compare`, which gives `equal` for equal parts.
fn by_parts(item: &DeriveInput, compare: &TokenStream, equal: &TokenStream) -> TokenStream {
    match &item.data {
        Data::Struct(data) => {
            let pairs = data.fields.members().map(|member| (quote!(&self.#member), quote!(&__other.#member)));
            first_that_differs(pairs, compare, equal)
        }
        Data::Enum(data) => {
            let arms = data.variants.iter().filter(|variant| !variant.fields.is_empty()).map(|variant| {
                let (ident, fields) = (&variant.ident, &variant.fields);
                let [(of_left, left), (of_right, right)] = ["a", "b"].map(|side| named(fields, side));
                let pairs = left.into_iter().zip(right).map(|(a, b)| (quote!(#a), quote!(#b)));
                let body = first_that_differs(pairs, compare, equal);
                quote!((Self::#ident #of_left, Self::#ident #of_right) => { #body })
            });
            let idents = data.variants.iter().map(|variant| &variant.ident);
            let tags = tags(data);
            quote! {
                let __tag = |__of: &Self| -> i128 { match __of { #(Self::#idents { .. } => #tags,)* } };
                match (self, __other) {
                    #(#arms)*
                    _ => #compare(&__tag(self), &__tag(__other)),
                }
            }
        }
        // It has been refused.
        Data::Union(_) => equal.clone(),
    }
}

/// The pattern of the fields of a variant, and the names that it gives them.
fn named(fields: &Fields, side: &str) -> (TokenStream, Vec<syn::Ident>) {
    let names: Vec<_> = (0..fields.len()).map(|i| format_ident!("__{side}{i}")).collect();
    (field_pattern(fields, &names), names)
}

fn first_that_differs(
    pairs: impl Iterator<Item = (TokenStream, TokenStream)>,
    compare: &TokenStream,
    equal: &TokenStream,
) -> TokenStream {
    let steps = pairs.map(|(a, b)| {
        quote! {
            match #compare(#a, #b) {
                #equal => {}
                __differs => return __differs,
            }
        }
    });
    quote!(#(#steps)* #equal)
}
