//! `#[derive(Stage)]`: the places of a struct's tiles in the memory of a stage.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Fields, FieldsNamed, Lifetime};

use crate::errors::Errors;
use crate::visitor::{BelowMut, Visit, VisitMut};
use syn::visit_mut;

/// The message for an item that is no struct of tiles.
const SHAPE: &str = "a stage is a struct of tiles with one lifetime: `struct Ab<'a> { a: Tile<'a, bf16, 128, 64, Swizzle128>, … }`";

/// Expands the derive.
pub fn expand(item: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let Some((fields, lifetime)) = tiles(item) else {
        errors.at(&item.ident, SHAPE);
        return errors.into_tokens();
    };
    for field in &fields.named {
        if !names(&field.ty, lifetime) {
            errors.at(&field.ty, SHAPE);
        }
    }
    if errors.any() {
        return errors.into_tokens();
    }
    let device = super::derive::device_type(item, &Fields::Named(fields.clone()), false);
    let (places, stage) = (places(item, fields), stage(item, fields, lifetime));
    quote!(#device #places #stage)
}

/// The fields of a struct with names for them, and its lifetime.
fn tiles(item: &DeriveInput) -> Option<(&FieldsNamed, &Lifetime)> {
    let Data::Struct(data) = &item.data else { return None };
    let Fields::Named(fields) = &data.fields else { return None };
    let mut lifetimes = item.generics.lifetimes();
    let (Some(only), None) = (lifetimes.next(), lifetimes.next()) else { return None };
    (!fields.named.is_empty()).then_some((fields, &only.lifetime))
}

/// Returns whether a type names this lifetime.
fn names(ty: &syn::Type, lifetime: &Lifetime) -> bool {
    struct Search<'a>(&'a Lifetime, bool);
    impl<'a> Visit<'a> for Search<'_> {
        fn this(&mut self) -> &mut dyn Visit<'a> {
            self
        }

        fn visit_lifetime(&mut self, found: &'a Lifetime) {
            self.1 |= found == self.0;
        }
    }
    let mut search = Search(lifetime, false);
    search.visit_type(ty);
    search.1
}

/// The constant for the beginning of a field.
fn place_of(field: &syn::Field) -> Ident {
    let name = field.ident.as_ref().map_or_else(String::new, |name| name.to_string().to_uppercase());
    format_ident!("{}_BEGINS", name.trim_start_matches("R#"), span = field.span())
}

/// A constant of a field's type as a `StagePart`.
fn of_part(field: &syn::Field, constant: &str) -> TokenStream {
    let (ty, constant) = (&field.ty, format_ident!("{constant}"));
    let span = ty.span().resolved_at(proc_macro2::Span::call_site());
    quote_spanned!(span=> <#ty as ::warpsmith::pipeline::StagePart>::#constant)
}

/// The beginning of each field, in bytes: the first aligned place after the field before.
fn places(item: &DeriveInput, fields: &FieldsNamed) -> TokenStream {
    let name = &item.ident;
    let (impl_generics, ty_generics, where_clause) = item.generics.split_for_impl();
    let mut end = quote!(0usize);
    let constants = fields.named.iter().map(|field| {
        let (place, size, align) = (place_of(field), of_part(field, "SIZE"), of_part(field, "ALIGN"));
        let begins = quote!((#end).next_multiple_of(#align as usize));
        end = quote!(Self::#place + #size);
        quote!(const #place: usize = #begins;)
    });
    quote! {
        impl #impl_generics #name #ty_generics #where_clause { #(#constants)* }
    }
}

/// Implements `StageTiles` for the struct.
fn stage(item: &DeriveInput, fields: &FieldsNamed, lifetime: &Lifetime) -> TokenStream {
    let name = &item.ident;
    let (impl_generics, ty_generics, where_clause) = item.generics.split_for_impl();
    let mut elsewhere: syn::Type = syn::parse_quote!(#name #ty_generics);
    Renamed(lifetime).visit_type_mut(&mut elsewhere);
    let bytes = fields.named.iter().map(|field| of_part(field, "BYTES"));
    let aligns: Vec<_> = fields.named.iter().map(|field| of_part(field, "ALIGN")).collect();
    let members: Vec<_> = fields.named.iter().filter_map(|field| field.ident.as_ref()).collect();
    let begins: Vec<_> = fields.named.iter().map(place_of).collect();
    let (last, size) = (begins.last(), fields.named.last().map(|field| of_part(field, "SIZE")));
    quote! {
        #[::warpsmith::gpu_impl]
        impl #impl_generics ::warpsmith::pipeline::StageTiles for #name #ty_generics #where_clause {
            type At<'__stage> = #elsewhere;
            const BYTES: u32 = 0 #(+ #bytes)*;
            const ALIGN: u32 = ::warpsmith::pipeline::largest(&[#(#aligns),*]);
            const SIZE: usize = (Self::#last + #size).next_multiple_of(Self::ALIGN as usize);

            fn at<'__stage>(memory: *mut u64) -> Self::At<'__stage> {
                #name { #(#members: ::warpsmith::pipeline::tile_at(memory, Self::#begins)),* }
            }
        }
    }
}

/// Renames a lifetime to that of a stage.
struct Renamed<'a>(&'a Lifetime);

impl VisitMut for Renamed<'_> {
    fn this(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if lifetime == self.0 {
            *lifetime = Lifetime::new("'__stage", lifetime.span());
        }
        visit_mut::visit_lifetime_mut(&mut BelowMut(self), lifetime);
    }
}
