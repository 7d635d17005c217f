//! `#[gpu(PartialOrd)]` and `#[gpu(Ord)]`: the order by the first fields that differ, in Rust and on the device.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput};

use super::derive::bounded;
use super::derive_enum::{is_ordered_by_tags, named, tags};
use super::derive_wanted::Wanted;

/// Expands to the traits of Rust that are wanted, and to those of the device.
pub fn expand(item: &DeriveInput, wanted: &Wanted) -> TokenStream {
    let eq = wanted.eq.then(|| {
        let generics = of_both(item, &quote!(Eq));
        let (name, (impl_generics, ty_generics, where_clause)) = (&item.ident, generics.split_for_impl());
        quote!(impl #impl_generics ::core::cmp::Eq for #name #ty_generics #where_clause {})
    });
    let partial = wanted.partial_order.then(|| {
        let equal = quote!(::core::option::Option::Some(::core::cmp::Ordering::Equal));
        let body = by_parts(item, &quote!(::core::cmp::PartialOrd::partial_cmp), &equal);
        let method = quote! {
            fn partial_cmp(&self, __other: &Self) -> ::core::option::Option<::core::cmp::Ordering> { #body }
        };
        let types = quote!(
            type Compared = ::warpsmith::__macro::ordered::partial_order<Self>;
        );
        both(item, &quote!(PartialOrd), &method, &types)
    });
    let total = wanted.order.then(|| {
        let body = by_parts(item, &quote!(::core::cmp::Ord::cmp), &quote!(::core::cmp::Ordering::Equal));
        let method = quote!(fn cmp(&self, __other: &Self) -> ::core::cmp::Ordering { #body });
        let types = quote! {
            type Larger = ::warpsmith::__macro::ordered::larger<Self>;
            type Smaller = ::warpsmith::__macro::ordered::smaller<Self>;
            type Clamped = ::warpsmith::__macro::ordered::clamped<Self>;
        };
        both(item, &quote!(Ord), &method, &types)
    });
    quote!(#eq #partial #total)
}

/// A trait of Rust with its method, and the trait of the same name on the device with its types.
fn both(item: &DeriveInput, wanted: &TokenStream, method: &TokenStream, types: &TokenStream) -> TokenStream {
    let generics = of_both(item, wanted);
    let (name, (impl_generics, ty_generics, where_clause)) = (&item.ident, generics.split_for_impl());
    // What an enum without fields has follows from its own order.
    let by_tags = matches!(&item.data, Data::Enum(data) if is_ordered_by_tags(item, data));
    let device = (!by_tags).then(|| {
        quote! {
            impl #impl_generics ::warpsmith::__macro::operators::#wanted for #name #ty_generics #where_clause { #types }
        }
    });
    quote! {
        #[automatically_derived]
        impl #impl_generics ::core::cmp::#wanted for #name #ty_generics #where_clause { #method }
        #device
    }
}

/// The generics with a trait of Rust on each parameter, and the bounds of `==`, without which there is no order.
fn of_both(item: &DeriveInput, wanted: &TokenStream) -> syn::Generics {
    let bound = quote!(::core::cmp::#wanted + ::warpsmith::__macro::operators::PartialEq + ::warpsmith::types::GpuType);
    bounded(item, &bound)
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
                let [(of_left, left), (of_right, right)] = ["__a", "__b"].map(|prefix| named(fields, prefix));
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
