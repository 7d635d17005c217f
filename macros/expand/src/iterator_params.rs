//! Refuses parameters and results that are iterators: those of kernels are no values, but loops where they are walked.

use syn::punctuated::Punctuated;
use syn::{FnArg, Signature, Token, Type, TypeParamBound, WherePredicate, parse_quote};

use crate::errors::Errors;

/// The message.
const REFUSED: &str = "a function of a kernel takes no iterator; take what it walks, `&[T]`, and make the iterator inside, or take a closure that gives the items by their numbers: `impl Fn(usize) -> T`";

/// Refuses them, and takes closures instead from then on; returns whether there are any.
pub fn refuse(sig: &mut Signature, errors: &mut Errors) -> bool {
    let mut found = false;
    let mut stand_in = |bounds: &mut Punctuated<TypeParamBound, Token![+]>| {
        if let Some(bound) = bounds.iter().find(|bound| iterates(bound)) {
            errors.at(bound, REFUSED);
            found = true;
            *bounds = parse_quote!(Fn());
        }
    };
    for input in &mut sig.inputs {
        if let FnArg::Typed(typed) = input
            && let Type::ImplTrait(of) = &mut *typed.ty
        {
            stand_in(&mut of.bounds);
        }
    }
    sig.generics.type_params_mut().for_each(|param| stand_in(&mut param.bounds));
    for predicate in sig.generics.where_clause.iter_mut().flat_map(|clause| &mut clause.predicates) {
        if let WherePredicate::Type(of) = predicate {
            stand_in(&mut of.bounds);
        }
    }
    found
}

fn iterates(bound: &TypeParamBound) -> bool {
    const TRAITS: [&str; 4] = ["Iterator", "IntoIterator", "DoubleEndedIterator", "ExactSizeIterator"];
    match bound {
        TypeParamBound::Trait(bound) => {
            bound.path.segments.last().is_some_and(|last| TRAITS.iter().any(|name| last.ident == name))
        }
        _ => false,
    }
}

/// Why a function does not return an `impl Trait`.
pub fn refused_result(ty: &Type) -> &'static str {
    match ty {
        Type::ImplTrait(of) if of.bounds.iter().any(iterates) => {
            "a device function returns no iterator; return the slice or the range that its caller walks, or take a closure that is called with each item: `mut each: impl FnMut(T)`"
        }
        _ => {
            "a device function cannot return `impl Trait`; pass the closure to a `#[gpu_fn]` that takes it instead"
        }
    }
}
