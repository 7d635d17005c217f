//! Type parameters that are `Copy`: where values of them are taken, given or held, these are values of the device.

use proc_macro2::{Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Generics, Ident, ImplItem, ItemImpl, Signature, TraitItemType, Type, TypeParamBound, WherePredicate,
    parse_quote,
};

/// The bound of values that kernels compute with.
fn device() -> TypeParamBound {
    parse_quote!(::warpsmith::types::DeviceType)
}

/// Adds the bound to the parameters of a function that its arguments or its result have in their types.
pub fn of_function(sig: &mut Signature) {
    add(&mut sig.generics, &types(&sig.inputs, &sig.output), &device());
}

/// Adds the bound of memory to the parameters of a kernel that its arguments have in their types.
pub fn of_kernel(sig: &mut Signature) {
    add(&mut sig.generics, &types(&sig.inputs, &sig.output), &parse_quote!(::warpsmith::types::GpuType));
}

/// Adds the bound to the parameters of an `impl` block whose values its functions take or give, as parts of `Self` too.
pub fn of_block(block: &mut ItemImpl) {
    let mut values = TokenStream::new();
    for part in &block.items {
        if let ImplItem::Fn(function) = part {
            values.extend(types(&function.sig.inputs, &function.sig.output));
        }
    }
    if has_value(values.clone(), "self") || has_value(values.clone(), "Self") {
        block.self_ty.to_tokens(&mut values);
    }
    add(&mut block.generics, &values, &device());
}

/// Adds the bound to an associated type.
pub fn of_associated(ty: &mut TraitItemType) {
    if is_copy(ty.bounds.iter()) {
        ty.bounds.push(device());
    }
}

fn types(inputs: &impl ToTokens, output: &impl ToTokens) -> TokenStream {
    let mut types = inputs.to_token_stream();
    output.to_tokens(&mut types);
    types
}

fn add(generics: &mut Generics, types: &TokenStream, bound: &TypeParamBound) {
    let is_value = |name: &Ident| has_value(types.clone(), &name.to_string());
    for param in generics.type_params_mut() {
        if is_copy(param.bounds.iter()) && is_value(&param.ident) {
            param.bounds.push(bound.clone());
        }
    }
    for predicate in generics.where_clause.iter_mut().flat_map(|clause| clause.predicates.iter_mut()) {
        if let WherePredicate::Type(predicate) = predicate
            && let Type::Path(path) = &predicate.bounded_ty
            && path.path.get_ident().is_some_and(is_value)
            && is_copy(predicate.bounds.iter())
        {
            predicate.bounds.push(bound.clone());
        }
    }
}

/// Returns whether types have one of this name as a part, and not just an item of it, as in `T::Output`.
fn has_value(types: TokenStream, name: &str) -> bool {
    let mut tokens = types.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let found = match token {
            TokenTree::Group(group) => has_value(group.stream(), name),
            TokenTree::Ident(ident) if ident == name => {
                !matches!(tokens.peek(), Some(TokenTree::Punct(p)) if p.as_char() == ':' && p.spacing() == Spacing::Joint)
            }
            _ => false,
        };
        if found {
            return true;
        }
    }
    false
}

/// Bounds that say nothing but how values are used; another trait may be that of markers, of which there are no values.
const OF_VALUES: [&str; 11] =
    ["Copy", "Clone", "Debug", "Default", "PartialEq", "Eq", "PartialOrd", "Ord", "Send", "Sync", "Sized"];

/// Returns whether bounds name `Copy`, and none that a marker or a closure may have.
fn is_copy<'b>(bounds: impl Iterator<Item = &'b TypeParamBound> + Clone) -> bool {
    let name = |bound: &TypeParamBound| match bound {
        TypeParamBound::Trait(bound) => bound.path.segments.last().map(|last| last.ident.to_string()),
        _ => None,
    };
    bounds.clone().any(|bound| name(bound).as_deref() == Some("Copy"))
        && bounds.clone().all(|bound| {
            name(bound).is_none_or(|name| OF_VALUES.contains(&name.as_str()))
                || super::foreign::device_bound(bound).is_some()
        })
}
