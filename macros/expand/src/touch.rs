//! `reads(…)` and `writes(…)` of a function whose device body is not Rust: the memory that it touches.
//!
//! The text of the attribute comes in; calls that report the accesses to the simulator's checks go out, at the start of the
//! Rust body.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::punctuated::Punctuated;
use syn::{Expr, MetaList, PointerMutability, RangeLimits, Token, Type};

use super::foreign_body::Body;
use super::signature::Param;
use crate::errors::Errors;

/// A place that a function touches.
pub struct Touch {
    /// The parameter that points at it.
    pointer: Ident,
    /// The first element, and how many.
    first: TokenStream,
    count: TokenStream,
    writes: bool,
}

const FORM: &str = "a place is a parameter that points at it: `p` for what it points at, `p[i]` for an element, `p[a..b]` or \
    `p[..n]` for several";

/// The places of one `reads(…)` or `writes(…)`.
pub fn parse(list: &MetaList, errors: &mut Errors) -> Vec<Touch> {
    let writes = list.path.is_ident("writes");
    match list.parse_args_with(Punctuated::<Expr, Token![,]>::parse_terminated) {
        Ok(places) => places.iter().filter_map(|place| one(place, writes, errors)).collect(),
        Err(error) => {
            errors.add(error);
            Vec::new()
        }
    }
}

fn one(place: &Expr, writes: bool, errors: &mut Errors) -> Option<Touch> {
    let name = |e: &Expr| match e {
        Expr::Path(path) => path.path.get_ident().cloned(),
        _ => None,
    };
    let (pointer, first, count) = match place {
        Expr::Index(element) => match (name(&element.expr), &*element.index) {
            (Some(pointer), Expr::Range(range)) => {
                let first = range.start.as_ref().map_or(quote!(0usize), |start| quote!((#start) as usize));
                let Some(end) = &range.end else {
                    errors.at(range, "state where the elements end: `p[..n]`");
                    return None;
                };
                let more = usize::from(matches!(range.limits, RangeLimits::Closed(_)));
                let count = quote!(((#end) as usize + #more).saturating_sub(#first));
                (Some(pointer), first, count)
            }
            (pointer, index) => (pointer, quote!((#index) as usize), quote!(1usize)),
        },
        other => (name(other), quote!(0usize), quote!(1usize)),
    };
    if pointer.is_none() {
        errors.at(place, FORM);
    }
    Some(Touch { pointer: pointer?, first, count, writes })
}

/// The calls that report all accesses of a function. A function that does not list them may write whatever it can reach.
pub fn tell(body: &Body, params: &[Param], errors: &mut Errors) -> TokenStream {
    let Some(touches) = &body.touches else {
        let pointers = params.iter().filter_map(|param| address(&param.pat.ident, &param.written));
        let pointers = pointers.filter(|_| !body.pure);
        return quote!(#(::warpsmith::__macro::hides(#pointers);)*);
    };
    let tells = touches.iter().filter_map(|touch| {
        let Touch { pointer, first, count, writes } = touch;
        let param = params.iter().find(|param| param.pat.ident == *pointer);
        let Some(address) = param.and_then(|param| address(pointer, &param.written)) else {
            errors.at(
                pointer,
                format!("`{pointer}` is not a parameter that is a pointer or a reference; {FORM}"),
            );
            return None;
        };
        if *writes && !param.is_some_and(|param| is_mutable(&param.written)) {
            errors.at(
                pointer,
                format!("`{pointer}` is not `*mut` or `&mut`, so nothing is written through it"),
            );
        }
        let tell = if *writes { quote!(writes) } else { quote!(reads) };
        Some(quote!(::warpsmith::__macro::#tell(#address, #first, #count);))
    });
    let tells: Vec<_> = tells.collect();
    if body.pure {
        let message =
            "`pure` says that calls may be moved and merged; leave it out beside `reads` and `writes`";
        let at = touches.first().map_or_else(proc_macro2::Span::call_site, |touch| touch.pointer.span());
        errors.add(syn::Error::new(at, message));
    }
    quote!(#(#tells)*)
}

/// The address that a parameter is, if it is one.
fn address(name: &Ident, ty: &Type) -> Option<TokenStream> {
    match ty {
        Type::Ptr(pointer) if matches!(pointer.mutability, PointerMutability::Mut(_)) => {
            Some(quote!(#name.cast_const()))
        }
        Type::Ptr(_) => Some(quote!(#name)),
        Type::Reference(_) => Some(quote!(::core::ptr::from_ref(&*#name))),
        _ => None,
    }
}

fn is_mutable(ty: &Type) -> bool {
    match ty {
        Type::Ptr(pointer) => matches!(pointer.mutability, PointerMutability::Mut(_)),
        Type::Reference(reference) => reference.mutability.is_some(),
        _ => false,
    }
}
