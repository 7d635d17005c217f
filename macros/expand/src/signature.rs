//! Signatures: generics, parameters and what each parameter is to the emitter.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    FnArg, GenericParam, Generics, Ident, Pat, PatIdent, ReceiverKind, ReturnType, Signature, Token, Type,
    TypeParamBound, WherePredicate, parse_quote,
};

use super::attributes::is_lint;
use super::lower::{Known, Name, own_self};
use super::types::{Slices, device_type};
use crate::errors::Errors;
use crate::visitor::VisitMut;

/// One parameter.
pub struct Param {
    /// Its name, with `mut` if it has it; `__self` for a receiver.
    pub pat: PatIdent,
    /// Its type as the witness spells it.
    pub ty: Type,
    /// Its type as the user wrote it.
    pub written: Type,
    /// The meaning of the name in the body.
    pub kind: Name,
    /// The pattern that takes it apart, if it has no name.
    pub destructured: Option<Pat>,
    /// Whether it is `self`.
    pub receiver: bool,
    /// Whether it is a closure with state of its own that may be given on more than once.
    pub copied: bool,
    /// Whether a launch copies it to the device as bytes.
    pub by_value: bool,
}

/// How the names of parameters begin that stand for an `impl Fn(…)`.
const UNNAMED: &str = "__F";

/// Replaces `impl Fn(…)` parameters by generic ones, which can be named.
pub fn name_impl_params(sig: &mut Signature) {
    let mut count = 0;
    for input in &mut sig.inputs {
        if let FnArg::Typed(typed) = input
            && let Type::ImplTrait(bounds) = unparenthesized(&typed.ty)
        {
            let name = format_ident!("{UNNAMED}{count}");
            let bounds = bounds.bounds.clone();
            sig.generics.params.push(parse_quote!(#name: #bounds));
            *typed.ty = parse_quote!(#name);
            count += 1;
        }
    }
}

/// A type without parentheses around it.
fn unparenthesized(ty: &Type) -> &Type {
    match ty {
        Type::Paren(paren) => unparenthesized(&paren.elem),
        other => other,
    }
}

/// The parameters of a signature; what is not supported is refused at its tokens.
pub fn params(sig: &Signature, self_ty: Option<&Type>, errors: &mut Errors) -> Vec<Param> {
    refuse_qualifiers(sig, errors);
    let mut params = Vec::new();
    for input in &sig.inputs {
        match input {
            FnArg::Receiver(receiver) => {
                let Some(self_ty) = self_ty else {
                    errors.at(receiver, "`self` needs `#[gpu_impl]` on the `impl` block");
                    continue;
                };
                let ty: Type = match &receiver.kind {
                    ReceiverKind::Value => self_ty.clone(),
                    ReceiverKind::Reference(_, _, Some(_)) => parse_quote!(&mut #self_ty),
                    ReceiverKind::Reference(..) => parse_quote!(&#self_ty),
                    _ => {
                        errors.at(receiver, "`self` is taken as `self`, `&self` or `&mut self` in a kernel");
                        continue;
                    }
                };
                let mutability = receiver.mutability;
                let name = own_self(receiver.self_token.span());
                let pat = PatIdent { attrs: vec![], by_ref: None, mutability, ident: name, subpat: None };
                params.push(Param {
                    pat,
                    written: ty.clone(),
                    ty: device_type(&ty),
                    kind: Name::Local,
                    destructured: None,
                    receiver: true,
                    copied: false,
                    by_value: false,
                });
            }
            FnArg::Typed(typed) => {
                let (pat, destructured) = match &*typed.pat {
                    Pat::Ident(pat) => (pat.clone(), None),
                    other => {
                        let ident = format_ident!("arg{}", params.len());
                        let pat =
                            PatIdent { attrs: vec![], by_ref: None, mutability: None, ident, subpat: None };
                        (pat, Some(other.clone()))
                    }
                };
                check_attributes(&typed.attrs, errors);
                let comptime = typed.attrs.iter().any(|a| a.path().is_ident("comptime"));
                let lent = lent_closure(&typed.ty, &sig.generics);
                if lent.is_some() {
                    errors.at(&typed.ty, LENT_CLOSURE);
                }
                let closure = lent.or_else(|| closure_pointer(&typed.ty, &sig.generics));
                let kind = match (&closure, comptime) {
                    (_, true) => Name::Comptime,
                    (Some(_), false) => Name::Closure,
                    (None, false) => Name::Local,
                };
                let mut pat = pat;
                pat.attrs.clear();
                let ty = device_type(closure.as_ref().unwrap_or(&typed.ty));
                let written = (*typed.ty).clone();
                let copied = closure.is_some() && is_copied_state(&typed.ty, &sig.generics);
                params.push(Param {
                    pat,
                    destructured,
                    ty,
                    written,
                    kind,
                    receiver: false,
                    copied,
                    by_value: false,
                });
            }
        }
    }
    params
}

/// Attributes of a parameter: `#[comptime]`, and those that rustc reads.
fn check_attributes(attrs: &[syn::Attribute], errors: &mut Errors) {
    for attr in attrs.iter().filter(|attr| !attr.path().is_ident("comptime") && !is_lint(attr)) {
        errors.at(attr, "a parameter knows `#[comptime]`, for a value that is known when the kernel is compiled; write that, or remove this");
    }
}

/// `impl Trait` as a result.
fn impl_result(sig: &Signature) -> Option<&Type> {
    match &sig.output {
        ReturnType::Type(_, ty) if matches!(unparenthesized(ty), Type::ImplTrait(_)) => Some(ty),
        _ => None,
    }
}

/// Takes `impl Trait` away from a result, after an error, and says whether it did.
pub fn without_impl_result(sig: &mut Signature) -> bool {
    let refused = impl_result(sig).is_some();
    if refused {
        sig.output = ReturnType::Default;
    }
    refused
}

/// `T` of `T`, `&[T]` and `&mut [T]`, where it is a generic parameter.
pub fn type_parameter(ty: &Type, generics: &Generics) -> Option<String> {
    match ty {
        Type::Reference(reference) => type_parameter(&reference.elem, generics),
        Type::Slice(slice) => type_parameter(&slice.elem, generics),
        Type::Array(array) => type_parameter(&array.elem, generics),
        Type::Path(path) => {
            let name = path.path.get_ident()?;
            generics.type_params().any(|p| p.ident == *name).then(|| name.to_string())
        }
        _ => None,
    }
}

fn refuse_qualifiers(sig: &Signature, errors: &mut Errors) {
    if let Some(ty) = impl_result(sig) {
        errors.at(ty, super::iterator_params::refused_result(ty));
    }
    if let Some(token) = &sig.asyncness {
        errors.at(token, "`async` has no meaning in a kernel; remove it");
    }
    if let Some(variadic) = &sig.variadic {
        errors.at(variadic, "variadic functions are not supported in a kernel");
    }
    if let Some(abi) = &sig.abi {
        errors.at(abi, "an ABI has no meaning in a kernel; remove it");
    }
}

/// The function pointer type with the signature of a generic parameter bounded by `Fn`, `FnMut` or `FnOnce`. The witness
/// calls it, so no closure's type, and no borrow in it, leaves the witness.
pub fn closure_pointer(ty: &Type, generics: &Generics) -> Option<Type> {
    parameter_pointer(parameter_name(ty)?, generics)
}

/// Why a parameter cannot be a reference to a closure.
const LENT_CLOSURE: &str = "a closure is taken by value: `f: impl Fn(u32) -> u32`, or `impl FnMut`; a call may give `&f` or `&mut f` for it";

/// [`closure_pointer`] of a reference to a closure of a generic type.
fn lent_closure(ty: &Type, generics: &Generics) -> Option<Type> {
    match unparenthesized(ty) {
        Type::Reference(reference) => closure_pointer(&reference.elem, generics),
        _ => None,
    }
}

/// Refuses references to closures, and takes these by value from then on.
pub fn refuse_lent_closures(sig: &mut Signature, errors: &mut Errors) {
    for input in &mut sig.inputs {
        let FnArg::Typed(typed) = input else { continue };
        let Type::Reference(reference) = unparenthesized(&typed.ty) else { continue };
        let closure: Type = match unparenthesized(&reference.elem) {
            Type::ImplTrait(closure) if closure.bounds.iter().any(calls) => parse_quote!(#closure),
            Type::TraitObject(closure) if closure.bounds.iter().any(calls) => {
                let bounds = &closure.bounds;
                parse_quote!(impl #bounds)
            }
            _ => continue,
        };
        errors.at(&typed.ty, LENT_CLOSURE);
        *typed.ty = closure;
    }
}

fn calls(bound: &TypeParamBound) -> bool {
    call_signature(bound).is_some()
}

/// The same of a generic parameter by its name.
fn parameter_pointer(name: &Ident, generics: &Generics) -> Option<Type> {
    bounds_of(name, generics).into_iter().find_map(call_signature)
}

fn parameter_name(ty: &Type) -> Option<&Ident> {
    match unparenthesized(ty) {
        Type::Path(path) => path.path.get_ident(),
        _ => None,
    }
}

/// The bounds of a generic parameter.
fn bounds_of<'g>(name: &Ident, generics: &'g Generics) -> Vec<&'g TypeParamBound> {
    let inline = generics.type_params().filter(|p| p.ident == *name).flat_map(|p| p.bounds.iter());
    let in_where =
        generics.where_clause.iter().flat_map(|w| &w.predicates).flat_map(|predicate| match predicate {
            WherePredicate::Type(t) if matches!(&t.bounded_ty, Type::Path(p) if p.path.is_ident(name)) => {
                t.bounds.iter().collect::<Vec<_>>()
            }
            _ => Vec::new(),
        });
    inline.chain(in_where).collect()
}

/// Type parameters without any bound: no value of such a type could be read.
pub fn unbounded(generics: &Generics) -> impl Iterator<Item = &syn::TypeParam> {
    generics.type_params().filter(|p| bounds_of(&p.ident, generics).is_empty())
}

/// The bound that a type parameter without bounds lacks.
pub fn needs_bound(name: &Ident) -> String {
    format!(
        "`{name}` needs a bound to be used in a kernel: `{name}: GpuType`, or `{name}: Num` for arithmetic"
    )
}

/// Returns whether a closure may change what it has captured, and be copied with it.
fn is_copied_state(ty: &Type, generics: &Generics) -> bool {
    let bounds = parameter_name(ty).map(|name| bounds_of(name, generics)).unwrap_or_default();
    let has = |names: &[&str]| {
        bounds.iter().any(|bound| match bound {
            TypeParamBound::Trait(bound) => {
                bound.path.segments.last().is_some_and(|s| names.contains(&s.ident.to_string().as_str()))
            }
            _ => false,
        })
    };
    has(&["Copy", "Clone"]) && has(&["FnMut", "FnOnce"])
}

fn call_signature(bound: &TypeParamBound) -> Option<Type> {
    let TypeParamBound::Trait(bound) = bound else { return None };
    let last = bound.path.segments.last()?;
    if !["Fn", "FnMut", "FnOnce"].contains(&last.ident.to_string().as_str()) {
        return None;
    }
    let syn::PathArguments::Parenthesized(call) = &last.arguments else { return None };
    let (inputs, output) = (&call.inputs, &call.output);
    Some(parse_quote!(fn(#inputs) #output))
}

/// Generics without lifetimes and without closures: what an instance is known by.
pub fn instance_generics(generics: &Generics) -> Generics {
    let mut kept = without_lifetimes(generics);
    kept.params = kept
        .params
        .into_iter()
        .filter(|p| match p {
            GenericParam::Type(t) => parameter_pointer(&t.ident, generics).is_none(),
            _ => true,
        })
        .collect();
    if let Some(clause) = &mut kept.where_clause {
        let keep = |p: &WherePredicate| !matches!(p, WherePredicate::Type(t) if closure_pointer(&t.bounded_ty, generics).is_some());
        clause.predicates = clause.predicates.clone().into_iter().filter(keep).collect();
    }
    kept
}

/// Generics that a call may write, closures among them, in the twin's types; without lifetimes and the names that [`name_impl_params`]
/// has given.
pub fn written_generics(generics: &Generics) -> Generics {
    let mut written = without_lifetimes(generics);
    written.params = written.params.into_iter().filter(|p| !is_unnamed(p)).collect();
    Slices.visit_generics_mut(&mut written);
    written
}

/// The arguments by which an instance is known: a closure is none of them.
pub fn instance_arguments(written: &Generics) -> Vec<TokenStream> {
    let names = arguments(written);
    let closure = |p: &GenericParam| match p {
        GenericParam::Type(t) => parameter_pointer(&t.ident, written).is_some(),
        _ => false,
    };
    let params = written.params.iter().filter(|p| !matches!(p, GenericParam::Lifetime(_)));
    names.into_iter().zip(params).map(|(name, p)| if closure(p) { quote!(()) } else { name }).collect()
}

/// The closures that have no name of the user's, with their bounds in the twin's types, as declarations.
pub fn unnamed_closures(generics: &Generics) -> Vec<TokenStream> {
    let mut generics = generics.clone();
    Slices.visit_generics_mut(&mut generics);
    generics.params.iter().filter(|p| is_unnamed(p)).map(|p| quote!(#p)).collect()
}

/// Returns whether [`name_impl_params`] has made a parameter.
fn is_unnamed(param: &GenericParam) -> bool {
    matches!(param, GenericParam::Type(t) if t.ident.to_string().starts_with(UNNAMED))
}

/// The closure parameters, with their bounds, as declarations.
pub fn closure_declarations(generics: &Generics) -> Vec<TokenStream> {
    let declared = generics.type_params().filter_map(|t| {
        let ident = &t.ident;
        parameter_pointer(ident, generics)?;
        let bounds = bounds_of(ident, generics);
        Some(quote!(#ident: #(#bounds)+*))
    });
    declared.collect()
}

/// The function pointers that stand for the closure parameters.
pub fn closure_pointers(generics: &Generics) -> Vec<Type> {
    let pointer = |t: &syn::TypeParam| parameter_pointer(&t.ident, generics).map(|ty| device_type(&ty));
    generics.type_params().filter_map(pointer).collect()
}

/// The types of the parameters, as a function pointer has them.
pub fn input_types(sig: &Signature) -> impl Iterator<Item = &Type> {
    sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(typed) => Some(&*typed.ty),
        FnArg::Receiver(_) => None,
    })
}

/// Generics without lifetimes, for the type that stands for the function.
pub fn without_lifetimes(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    generics.params =
        generics.params.into_iter().filter(|p| !matches!(p, GenericParam::Lifetime(_))).collect();
    for param in generics.type_params_mut() {
        param.bounds = without_outlives(&param.bounds);
    }
    if let Some(clause) = &mut generics.where_clause {
        for predicate in &mut clause.predicates {
            if let WherePredicate::Type(predicate) = predicate {
                predicate.bounds = without_outlives(&predicate.bounds);
            }
        }
        clause.predicates = clause
            .predicates
            .clone()
            .into_iter()
            .filter(|p| !matches!(p, WherePredicate::Lifetime(_)))
            .collect();
    }
    generics
}

/// The bounds of a type without `'a`, which is not declared where lifetimes are left out.
fn without_outlives(bounds: &Bounds) -> Bounds {
    let named = |bound: &&TypeParamBound| matches!(bound, TypeParamBound::Lifetime(l) if l.ident != "static");
    bounds.iter().filter(|bound| !named(bound)).cloned().collect()
}

/// The bounds of a type parameter.
type Bounds = Punctuated<TypeParamBound, Token![+]>;

/// The lifetimes of a function alone, with their bounds: `'a, 'b: 'a`.
pub fn lifetimes(generics: &Generics) -> Generics {
    let mut lifetimes = generics.clone();
    lifetimes.params =
        lifetimes.params.into_iter().filter(|p| matches!(p, GenericParam::Lifetime(_))).collect();
    if let Some(clause) = &mut lifetimes.where_clause {
        let predicates = std::mem::take(&mut clause.predicates);
        clause.predicates =
            predicates.into_iter().filter(|p| matches!(p, WherePredicate::Lifetime(_))).collect();
    }
    lifetimes
}

/// The names of type and const parameters, as arguments.
pub fn arguments(generics: &Generics) -> Vec<TokenStream> {
    let name = |param: &GenericParam| match param {
        GenericParam::Type(t) => {
            let ident = &t.ident;
            Some(quote!(#ident))
        }
        GenericParam::Const(c) => {
            let ident = &c.ident;
            Some(quote!(#ident))
        }
        GenericParam::Lifetime(_) => None,
    };
    generics.params.iter().filter_map(name).collect()
}

/// Declarations of type and const parameters without bounds, for a marker struct.
pub fn bare_declarations(generics: &Generics) -> (Vec<TokenStream>, Vec<Ident>) {
    let mut declarations = Vec::new();
    let mut types = Vec::new();
    for param in &generics.params {
        match param {
            GenericParam::Type(t) => {
                let ident = &t.ident;
                declarations.push(quote!(#ident));
                types.push(ident.clone());
            }
            GenericParam::Const(c) => {
                let (ident, ty) = (&c.ident, &c.ty);
                declarations.push(quote!(const #ident: #ty));
            }
            GenericParam::Lifetime(_) => {}
        }
    }
    (declarations, types)
}

/// The knowledge of a value from its type's name.
pub fn known(ty: &Type) -> Known {
    let path = match ty {
        Type::Array(array) => return Known::of_elements(known(&array.elem)),
        Type::Slice(slice) => return Known::of_elements(known(&slice.elem)),
        Type::Reference(reference) => {
            let referent = known(&reference.elem);
            return if matches!(referent, Known::Elements(_)) { referent } else { Known::Nothing };
        }
        Type::Path(path) => path,
        _ => return Known::Nothing,
    };
    let Some(last) = path.path.segments.last() else { return Known::Nothing };
    let primitive = super::spelled::PRIMITIVES.contains(&last.ident.to_string().as_str());
    match path.path.segments.len() {
        1 if primitive => Known::Number,
        _ if last.ident == "Range" || last.ident == "RangeInclusive" => Known::LikeRange,
        _ => Known::Nothing,
    }
}

/// Attributes on hidden functions that hold a witness or an emitter.
pub fn quiet() -> TokenStream {
    quote! {
        #[doc(hidden)]
        #[allow(warnings, unused, nonstandard_style, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
    }
}

/// `Location` of a name.
pub fn location(ident: &Ident) -> TokenStream {
    let line = crate::rustc_span::line(ident.span()) as u32;
    quote!(::warpsmith::ir::Location { file: ::core::file!(), line: #line })
}
