//! Patterns of slices, as tests of the length and of elements, and names for elements.
//!
//! `if let [first, rest @ ..] = x { … }` is `if x.len() >= 1 { let first = &x[0]; let rest = &x[1..]; … }`, and `let first = x[0];` of
//! `&[first, ..]`. Slices of bodies are descriptors, which no pattern of Rust's takes apart, so this is done for variables that tokens
//! tell to be slices, and for parts, `&x[a..b]`, which get a name.

use proc_macro2::{Ident, Literal, Span};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{BinOp, Block, Expr, Local, Pat, PatIdent, PatSlice, Path, Stmt, parse_quote, parse_quote_spanned};

use super::disjoint::{At, Place, split};
use super::matching::Matches;
use super::referents::{Referents, is_part};
use super::slice_element::{self, Part, is_name, part};
use super::slice_match::matched;
use super::spelled::of_bytes;

/// What a pattern takes apart.
pub struct Of {
    /// The name of the slice.
    pub slice: Ident,
    /// Whether the pattern may give references that write it.
    pub mutable: bool,
    /// What the name stands for, if it is not the user's.
    pub part: Option<Expr>,
    /// Whether it is the slice itself, whose names are values, and no reference to it.
    pub is_place: bool,
    /// The path of the variant, `Some`, if the name stands for what an `Option` holds.
    pub some: Option<Path>,
}

impl Of {
    /// What has no name of the user's.
    pub fn unnamed(part: Expr, mutable: bool) -> Self {
        let slice = Ident::new("__taken", Span::mixed_site());
        Self { slice, mutable, part: Some(part), is_place: false, some: None }
    }

    /// `let slice = &x[a..b]`, which always matches, or `let Some(slice) = option`.
    pub fn named(&self) -> Option<Expr> {
        let (slice, part) = (&self.slice, self.part.as_ref()?);
        Some(match &self.some {
            Some(some) => parse_quote!(let #some(#slice) = #part),
            None => parse_quote!(let #slice = #part),
        })
    }

    /// Whether this matches, and then `test` does.
    pub fn tested(&self, test: Expr) -> Expr {
        all_of(self.named().filter(|_| self.some.is_some()).into_iter().chain([test]))
    }

    /// `of` with the name of the slice.
    pub fn within(&self, of: Expr) -> Expr {
        let slice = &self.slice;
        match (&self.part, &self.some) {
            (Some(part), None) => parse_quote!({ let #slice = #part; #of }),
            _ => of,
        }
    }
}

/// A pattern of a slice.
pub struct Taken {
    /// Whether the slice matches.
    pub test: Expr,
    /// `let pattern = element` of elements whose patterns may not match and have names, behind the test.
    pub nested: Vec<Expr>,
    /// Statements before the values of parts.
    pub setup: Vec<Stmt>,
    /// The names and the values of parts.
    pub names: Vec<(Pat, Expr)>,
    /// The lengths that certainly match: each one, or all from it on.
    pub lengths: Vec<Length>,
}

impl Taken {
    /// Whether the slice matches, with the names of nested patterns.
    pub fn condition(&self) -> Expr {
        all_of([&self.test].into_iter().chain(&self.nested).cloned())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Length {
    Exactly(usize),
    From(usize),
}

/// Rewrites an `if let`, a `while let`, a `match` or a `matches!` of a slice.
pub fn rewrite(expr: &mut Expr, referents: &Referents) {
    match expr {
        Expr::If(e) => tested(&mut e.cond, &mut e.then_branch, referents),
        Expr::While(e) => tested(&mut e.cond, &mut e.body, referents),
        Expr::Match(e) => {
            if let Some(plain) = matched(e, referents) {
                // An operand, unlike a statement, does not end behind a block.
                *expr = parse_quote!((#plain));
            }
        }
        Expr::Macro(e) if e.mac.path.is_ident("matches") => {
            if let Some(plain) = e.mac.parse_body().ok().and_then(|of| is_matched(&of, referents)) {
                *expr = plain;
            }
        }
        _ => {}
    }
}

/// Rewrites a `match` of a slice that is a statement, and needs no `;` behind it.
pub fn rewrite_statement(expr: &mut Expr, referents: &Referents) {
    if let Expr::Match(e) = expr
        && let Some(plain) = matched(e, referents)
    {
        *expr = plain;
    }
}

/// `matches!(x, pattern if guard)`
fn is_matched(Matches { value, pat, guard }: &Matches, referents: &Referents) -> Option<Expr> {
    let (of, pat) = taken_apart(pat, value, referents)?;
    let taken = any_of(pat, &of)?;
    let (test, bound) = (of.tested(taken.condition()), bindings(&taken));
    let is_plain = taken.nested.is_empty() && of.some.is_none();
    Some(of.within(match guard {
        Some(guard) if is_plain => parse_quote!((#test && { #(#bound)* #guard })),
        Some(guard) => parse_quote!((if #test { #(#bound)* #guard } else { false })),
        None if is_plain => parse_quote!((#test)),
        None => parse_quote!((if #test { true } else { false })),
    }))
}

/// Rewrites `let [first, rest @ ..] = x else { … };`; gives the names of parts that are slices, and whether they may be written.
pub fn rewrite_let(local: &mut Local, referents: &Referents) -> Vec<(Ident, bool)> {
    let Some(init) = &mut local.init else { return Vec::new() };
    let Some((_, diverge)) = &init.diverge else { return Vec::new() };
    let Some((of, pat)) = taken_apart(&local.pat, &init.expr, referents) else { return Vec::new() };
    let Some(mut taken) = taken(pat, &of) else { return Vec::new() };
    taken.names.extend(taken.nested.iter().flat_map(slice_element::names_of));
    taken.nested = taken.nested.into_iter().map(slice_element::unwritten).collect();
    let test = of.tested(taken.condition());
    let Taken { setup, names, .. } = taken;
    let (pats, values): (Vec<_>, Vec<_>) = names.into_iter().unzip();
    let is_slice = |(pat, value): (&Pat, &Expr)| match (pat, value) {
        (Pat::Ident(name), Expr::Reference(part)) if is_part(&part.expr) => {
            Some((name.ident.clone(), part.mutability.is_some()))
        }
        _ => None,
    };
    let slices = pats.iter().zip(&values).filter_map(is_slice).collect();
    *init.expr = of.within(match values.as_slice() {
        [value] => parse_quote!(if #test { #(#setup)* #value } else #diverge),
        values => parse_quote!(if #test { #(#setup)* (#(#values),*) } else #diverge),
    });
    local.pat = match pats.as_slice() {
        [pat] => pat.clone(),
        pats => parse_quote!((#(#pats),*)),
    };
    init.diverge = None;
    slices
}

/// The slice that a pattern takes apart, and the pattern of it: of `Some(pattern)` that of what the `Option` holds.
fn taken_apart<'p>(pat: &'p Pat, expr: &Expr, referents: &Referents) -> Option<(Of, &'p Pat)> {
    match pat {
        Pat::Paren(inner) => taken_apart(&inner.pat, expr, referents),
        Pat::TupleStruct(some) if some.elems.len() == 1 && is_of_slice(&some.elems[0]) => {
            let mutable = referents.some_slice(expr)?;
            let of = Of { some: Some(some.path.clone()), ..Of::unnamed(expr.clone(), mutable) };
            Some((of, &some.elems[0]))
        }
        pat => Some((of_slice(expr, referents)?, pat)),
    }
}

/// Returns whether a pattern is one of a slice, whatever it takes apart.
pub fn is_of_slice(pat: &Pat) -> bool {
    match pat {
        Pat::Paren(inner) => is_of_slice(&inner.pat),
        Pat::Reference(of) => is_of_slice(&of.pat),
        Pat::Or(or) => or.cases.iter().any(is_of_slice),
        Pat::Lit(bytes) => of_bytes(bytes).is_some(),
        pat => matches!(pat, Pat::Slice(_)),
    }
}

/// The slice that an expression is: a variable, or a part of another slice.
pub fn of_slice(expr: &Expr, referents: &Referents) -> Option<Of> {
    match expr {
        Expr::Path(path) => {
            let slice = path.path.get_ident()?;
            let mutable = referents.slice_of(slice)?;
            Some(Of { slice: slice.clone(), mutable, part: None, is_place: false, some: None })
        }
        Expr::Reference(e) if is_part(&e.expr) => Some(Of::unnamed(expr.clone(), e.mutability.is_some())),
        Expr::Index(_) if is_part(expr) => {
            Some(Of { is_place: true, ..Of::unnamed(parse_quote!(&#expr), false) })
        }
        Expr::Paren(e) => of_slice(&e.expr, referents),
        _ => None,
    }
}

/// A condition `let [first, ..] = x`, and the block behind it.
fn tested(cond: &mut Expr, block: &mut Block, referents: &Referents) {
    if let Expr::Binary(chain) = cond
        && let BinOp::And(_) = chain.op
    {
        // What stands behind a pattern in a chain may use its names.
        let mut within = referents.clone();
        chained(&mut chain.left, &mut within);
        tested(&mut chain.right, block, &within);
        let (left, right) = (&chain.left, &chain.right);
        // A `let` cannot be in parentheses, which a chain on the right would be.
        *cond = parse_quote!(#left && #right);
        return;
    }
    let Expr::Let(e) = &*cond else { return };
    let Some((of, pat)) = taken_apart(&e.pat, &e.expr, referents) else { return };
    if let Some(taken) = taken(pat, &of) {
        block.stmts.splice(0..0, bindings(&taken));
        *cond = all_of(of.named().into_iter().chain([taken.test]).chain(taken.nested));
    }
}

/// A chain of conditions, of which there is one at least.
pub fn all_of(conditions: impl IntoIterator<Item = Expr>) -> Expr {
    let chain = conditions.into_iter().reduce(|before, next| parse_quote!(#before && #next));
    chain.unwrap_or_else(|| parse_quote!(true))
}

/// The conditions of a chain before its last.
fn chained(cond: &mut Expr, referents: &mut Referents) {
    match cond {
        Expr::Binary(chain) if matches!(chain.op, BinOp::And(_)) => {
            chained(&mut chain.left, referents);
            if let Some(conditions) = tried(&chain.right, referents) {
                *cond = all_of([(*chain.left).clone()].into_iter().chain(conditions));
            }
        }
        first => {
            if let Some(conditions) = tried(first, referents) {
                *first = all_of(conditions);
            }
        }
    }
}

/// `let [first, ..] = x` of a chain as tests, and a `let` of the names, which always matches.
fn tried(cond: &Expr, referents: &mut Referents) -> Option<Vec<Expr>> {
    let Expr::Let(e) = cond else { return None };
    let of = taken_apart(&e.pat, &e.expr, referents).and_then(|(of, pat)| Some((taken(pat, &of)?, of)));
    referents.forget_all(e.pat.to_token_stream());
    let (taken, of) = of?;
    taken.names.iter().for_each(|(pat, value)| referents.tested(pat, value));
    let bound = bound_in_chain(&taken);
    Some(of.named().into_iter().chain([taken.test]).chain(taken.nested).chain(bound).collect())
}

/// The names of a pattern, for a chain of conditions.
pub fn bound_in_chain(Taken { setup, names, .. }: &Taken) -> Option<Expr> {
    let (pats, values): (Vec<_>, Vec<_>) = names.iter().map(|(pat, value)| (pat, value)).unzip();
    match (pats.as_slice(), values.as_slice()) {
        ([], _) => None,
        ([pat], [value]) => Some(parse_quote!(let #pat = #value)),
        _ if setup.is_empty() => Some(parse_quote!(let (#(#pats),*) = (#(#values),*))),
        _ => Some(parse_quote!(let (#(#pats),*) = { #(#setup)* (#(#values),*) })),
    }
}

pub fn bindings(taken: &Taken) -> Vec<Stmt> {
    let named = taken.names.iter().map(|(pat, value)| parse_quote!(let #pat = #value;));
    taken.setup.iter().cloned().chain(named).collect()
}

/// The pattern in parentheses, and whether it is one of values: behind a `&`, or behind a `&mut` of a slice that is written.
fn without_parens(pat: &Pat, mutable: bool) -> (&Pat, bool) {
    match pat {
        Pat::Paren(inner) => without_parens(&inner.pat, mutable),
        Pat::Reference(of) if of.mutability.is_some() == mutable => {
            (without_parens(&of.pat, mutable).0, true)
        }
        pat => (pat, false),
    }
}

/// A pattern of an arm: of slices, or of anything.
pub fn any_of(pat: &Pat, of: &Of) -> Option<Taken> {
    let anything = |names| Taken {
        test: parse_quote!(true),
        nested: Vec::new(),
        setup: Vec::new(),
        names,
        lengths: vec![Length::From(0)],
    };
    match pat {
        Pat::Paren(inner) => any_of(&inner.pat, of),
        Pat::Wild(_) => Some(anything(Vec::new())),
        Pat::Ident(name) if name.subpat.is_none() && is_name(name) => {
            let slice = &of.slice;
            Some(anything(vec![(pat.clone(), parse_quote!(#slice))]))
        }
        Pat::Or(or) => {
            let cases: Vec<Taken> = or.cases.iter().map(|case| taken(case, of)).collect::<Option<_>>()?;
            let tests = cases.iter().map(|case| &case.test);
            cases.iter().all(|case| case.names.is_empty() && case.nested.is_empty()).then(|| Taken {
                test: parse_quote!((#(#tests)||*)),
                nested: Vec::new(),
                setup: Vec::new(),
                names: Vec::new(),
                lengths: cases.iter().flat_map(|case| case.lengths.clone()).collect(),
            })
        }
        pat => taken(pat, of),
    }
}

/// A pattern of a slice; nothing if it binds names in a way that a kernel's slices have not.
pub fn taken(pat: &Pat, of: &Of) -> Option<Taken> {
    let (pat, by_value) = without_parens(pat, of.mutable);
    let by_value = by_value || of.is_place;
    let elems = match pat {
        Pat::Slice(PatSlice { elems, .. }) => elems.clone(),
        Pat::Lit(bytes) => of_bytes(bytes)?.elems,
        Pat::Or(_) => return any_of(pat, of),
        _ => return None,
    };
    let slice = &of.slice;
    let rest = elems.iter().position(is_rest);
    let least = elems.len() - usize::from(rest.is_some());
    let span = pat.span();
    let length = Literal::usize_suffixed(least);
    let mut test: Expr = match rest {
        None => parse_quote_spanned!(span=> #slice.len() == #length),
        Some(_) => parse_quote_spanned!(span=> #slice.len() >= #length),
    };
    let (mut names, mut places, mut lengths) =
        (Vec::new(), Vec::new(), vec![rest.map_or(Length::Exactly(least), |_| Length::From(least))]);
    let mut nested = Vec::new();
    for (i, elem) in elems.iter().enumerate() {
        let behind = elems.len() - i;
        let at = match rest {
            Some(rest) if i == rest => {
                if let Pat::Ident(name) = elem {
                    if by_value != name.by_ref.is_some() || by_value && of.mutable {
                        return None;
                    }
                    let end = (behind > 1).then_some(At::Back(behind - 1));
                    let place = Place { start: At::Front(i), end: Some(end) };
                    let name = PatIdent { subpat: None, by_ref: None, ..name.clone() };
                    names.push((Pat::Ident(name), place.of(slice, of.mutable, span)));
                    places.push(place);
                }
                continue;
            }
            Some(rest) if i > rest => At::Back(behind),
            _ => At::Front(i),
        };
        let index = at.index(slice, span);
        let element = parse_quote_spanned!(span=> #slice[#index]);
        let Part { name, test: more, nested: within } = part(elem, &element, (by_value, of.mutable))?;
        nested.extend(within);
        if let Some(name) = name {
            names.push(name);
            places.push(Place { start: at, end: None });
        }
        if let Some(more) = more {
            lengths.clear();
            test = parse_quote_spanned!(span=> #test && #more);
        }
    }
    if !nested.is_empty() {
        lengths.clear();
    }
    // Names behind such a pattern are parts of the slice.
    if nested.iter().flat_map(slice_element::names_of).any(|(pat, _)| slice_element::binds(&pat, slice)) {
        return None;
    }
    let writes = of.mutable && !by_value && names.len() > 1;
    let setup = if writes { split(slice, &mut names, &places, span) } else { Vec::new() };
    // A name that hides the slice comes last: the other values are parts of the slice.
    names.sort_by_key(|(pat, _)| slice_element::binds(pat, slice));
    Some(Taken { test, nested, setup, names, lengths })
}

fn is_rest(pat: &Pat) -> bool {
    match pat {
        Pat::Rest(_) => true,
        Pat::Ident(name) => name.subpat.as_ref().is_some_and(|(_, pat)| matches!(**pat, Pat::Rest(_))),
        _ => false,
    }
}
