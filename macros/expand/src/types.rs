//! Types in signatures and annotations: slices become descriptors, lifetimes are left to rustc.

use crate::visitor::{BelowMut, VisitMut};
use proc_macro2::Span;
use syn::visit_mut;
use syn::{GenericArgument, Lifetime, Type, parse_quote_spanned};

/// `[T]` becomes `Slice<T>` wherever it stands.
pub struct Slices;

impl VisitMut for Slices {
    fn this(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_type_mut(&mut self, ty: &mut Type) {
        visit_mut::visit_type_mut(&mut BelowMut(self), ty);
        if let Type::Slice(slice) = ty {
            let (elem, span) = (&slice.elem, slice.bracket_token.span.open());
            *ty = parse_quote_spanned!(span=> ::warpsmith::types::Slice<#elem>);
        }
    }
}

/// Named lifetimes become elided ones, or one given lifetime.
struct Lifetimes(Option<Lifetime>);

impl VisitMut for Lifetimes {
    fn this(&mut self) -> &mut dyn VisitMut {
        self
    }

    fn visit_type_reference_mut(&mut self, ty: &mut syn::TypeReference) {
        ty.lifetime = self.0.clone();
        visit_mut::visit_type_reference_mut(&mut BelowMut(self), ty);
    }

    fn visit_generic_argument_mut(&mut self, argument: &mut GenericArgument) {
        if let GenericArgument::Lifetime(lifetime) = argument {
            *lifetime = self.0.clone().unwrap_or_else(|| Lifetime::new("'_", Span::call_site()));
        }
        visit_mut::visit_generic_argument_mut(&mut BelowMut(self), argument);
    }
}

/// The type as the witness and the emitter spell it: no named lifetimes.
pub fn device_type(ty: &Type) -> Type {
    let mut ty = ty.clone();
    Slices.visit_type_mut(&mut ty);
    Lifetimes(None).visit_type_mut(&mut ty);
    ty
}

/// Names no lifetime in a body: rustc checks those of the twin.
pub fn elide_lifetimes(block: &mut syn::Block) {
    Lifetimes(None).visit_block_mut(block);
}

/// The type as the host function spells it: every lifetime is `lifetime`.
pub fn host_type(ty: &Type, lifetime: &Lifetime) -> Type {
    let mut ty = ty.clone();
    Lifetimes(Some(lifetime.clone())).visit_type_mut(&mut ty);
    ty
}

/// The type as the twin spells it.
pub fn twin_type(ty: &Type) -> Type {
    let mut ty = ty.clone();
    Slices.visit_type_mut(&mut ty);
    ty
}
