//! Patterns of elements within patterns of slices: their names, and whether they match.

use proc_macro2::Ident;
use syn::{Expr, Pat, PatIdent, parse_quote};
use syn::{visit, visit_mut};

use crate::visitor::{Below, BelowMut, Visit, VisitMut};

/// What the pattern of an element means.
pub struct Part {
    /// A pattern that always matches, and what it takes apart.
    pub name: Option<(Pat, Expr)>,
    /// Whether the element matches.
    pub test: Option<Expr>,
    /// `let pattern = element`, which has names and may not match.
    pub nested: Option<Expr>,
}

/// How the names of a pattern are bound: whether to values, and whether the slice may be written.
pub type Binds = (bool, bool);

/// The pattern of an element, whose names are references, or values.
pub fn part(pat: &Pat, element: &Expr, binds: Binds) -> Option<Part> {
    let nothing = Part { name: None, test: None, nested: None };
    Some(match pat {
        Pat::Wild(_) => nothing,
        Pat::Paren(inner) => return part(&inner.pat, element, binds),
        Pat::Ident(name) if is_name(name) => {
            let test = match &name.subpat {
                Some((_, within)) => part(within, element, binds)
                    .filter(|of| of.name.is_none() && of.nested.is_none())
                    .map(|of| of.test)?,
                None => None,
            };
            Part { name: Some(named(name, element, binds)?), test, ..nothing }
        }
        pat if names(pat).is_empty() => {
            Part { test: Some(parse_quote!(matches!(#element, #pat))), ..nothing }
        }
        // Several references that write would be of one element.
        _ if binds == (false, true) => return None,
        pat => {
            let value = if binds.0 { element.clone() } else { parse_quote!(&#element) };
            if always_matches(pat) {
                Part { name: Some((pat.clone(), value)), ..nothing }
            } else {
                Part { nested: Some(parse_quote!(let #pat = #value)), ..nothing }
            }
        }
    })
}

/// A name that begins with a small letter is no constant's.
pub fn is_name(name: &PatIdent) -> bool {
    !name.ident.to_string().starts_with(char::is_uppercase)
}

/// The names that `let pattern = …` binds, each as the pattern that declares it and the value that it has.
pub fn names_of(nested: &Expr) -> Vec<(Pat, Expr)> {
    let Expr::Let(e) = nested else { return Vec::new() };
    let named = |name: &PatIdent| {
        let ident = &name.ident;
        let declared = PatIdent { attrs: Vec::new(), by_ref: None, subpat: None, ..name.clone() };
        (Pat::Ident(declared), parse_quote!(#ident))
    };
    names(&e.pat).into_iter().map(named).collect()
}

/// `let pattern = …` whose names are bound again, and written only there.
pub fn unwritten(mut nested: Expr) -> Expr {
    struct Unwritten;

    impl VisitMut for Unwritten {
        fn this(&mut self) -> &mut dyn VisitMut {
            self
        }

        fn visit_pat_ident_mut(&mut self, name: &mut PatIdent) {
            name.mutability = name.mutability.filter(|_| name.by_ref.is_some());
            visit_mut::visit_pat_ident_mut(&mut BelowMut(self), name);
        }
    }

    if let Expr::Let(e) = &mut nested {
        Unwritten.visit_pat_mut(&mut e.pat);
    }
    nested
}

/// Returns whether a pattern binds a name.
pub fn binds(pat: &Pat, name: &Ident) -> bool {
    names(pat).iter().any(|bound| bound.ident == *name)
}

/// The names that a pattern binds.
fn names(pat: &Pat) -> Vec<&PatIdent> {
    struct Names<'a>(Vec<&'a PatIdent>);

    impl<'a> Visit<'a> for Names<'a> {
        fn this(&mut self) -> &mut dyn Visit<'a> {
            self
        }

        fn visit_pat_ident(&mut self, name: &'a PatIdent) {
            let known = self.0.iter().any(|before| before.ident == name.ident);
            if is_name(name) && !known {
                self.0.push(name);
            }
            visit::visit_pat_ident(&mut Below(self), name);
        }
    }

    let mut found = Names(Vec::new());
    found.visit_pat(pat);
    found.0
}

/// Returns whether tokens tell that a pattern matches every value: it has no constants, and names no variants.
fn always_matches(pat: &Pat) -> bool {
    match pat {
        Pat::Wild(_) | Pat::Rest(_) => true,
        Pat::Ident(name) => is_name(name) && name.subpat.as_ref().is_none_or(|(_, pat)| always_matches(pat)),
        Pat::Paren(inner) => always_matches(&inner.pat),
        Pat::Reference(of) => always_matches(&of.pat),
        Pat::Tuple(tuple) => tuple.elems.iter().all(always_matches),
        // Elements of slices are no slices, so this is an array.
        Pat::Slice(array) => array.elems.iter().all(always_matches),
        _ => false,
    }
}

/// The name of an element, and what it stands for.
fn named(name: &PatIdent, element: &Expr, binds: Binds) -> Option<(Pat, Expr)> {
    let PatIdent { ident, mutability, by_ref, .. } = name;
    match (binds, by_ref, mutability) {
        ((true, _), None, mutability) => Some((parse_quote!(#mutability #ident), element.clone())),
        ((true, false), Some(_), None) | ((false, false), None, None) => {
            Some((parse_quote!(#ident), parse_quote!(&#element)))
        }
        ((false, true), None, None) => Some((parse_quote!(#ident), parse_quote!(&mut #element))),
        _ => None,
    }
}
