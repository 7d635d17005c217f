//! Patterns of slices, as tests of the length and of elements, and names for elements.
//!
//! `if let [first, rest @ ..] = x { … }` is `if x.len() >= 1 { let first = &x[0]; let rest = &x[1..]; … }`, and `let first = x[0];` of
//! `&[first, ..]`. Slices of bodies are descriptors, which no pattern of Rust's takes apart, so this is done for variables that tokens
//! tell to be slices, and for parts, `&x[a..b]`, which get a name.

use proc_macro2::{Ident, Literal, Span};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{
    BinOp, Block, Expr, ExprMatch, Local, Pat, PatIdent, PatSlice, Stmt, parse_quote, parse_quote_spanned,
};

use super::disjoint::{At, Place, split};
use super::matching::{Matches, guarded};
use super::referents::{Referents, is_part};
use super::spelled::of_bytes;

/// What a pattern takes apart.
struct Of {
    /// The name of the slice.
    slice: Ident,
    /// Whether the pattern may give references that write it.
    mutable: bool,
    /// What the name stands for, if it is not the user's.
    part: Option<Expr>,
}

impl Of {
    /// `let slice = &x[a..b]`, which always matches.
    fn named(&self) -> Option<Expr> {
        let (slice, part) = (&self.slice, self.part.as_ref()?);
        Some(parse_quote!(let #slice = #part))
    }

    /// `of` with the name of the slice.
    fn within(&self, of: Expr) -> Expr {
        let slice = &self.slice;
        match &self.part {
            Some(part) => parse_quote!({ let #slice = #part; #of }),
            None => of,
        }
    }
}

/// A pattern of a slice.
struct Taken {
    /// Whether the slice matches.
    test: Expr,
    /// Statements before the values of parts.
    setup: Vec<Stmt>,
    /// The names and the values of parts.
    names: Vec<(Pat, Expr)>,
    /// The lengths that certainly match: each one, or all from it on.
    lengths: Vec<Length>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Length {
    Exactly(usize),
    From(usize),
}

/// An arm of a `match`.
struct Case<'e> {
    taken: Taken,
    guard: Option<&'e Expr>,
    body: &'e Expr,
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
    let of = of_slice(value, referents)?;
    let taken = any_of(pat, &of)?;
    let (test, bound) = (&taken.test, bindings(&taken));
    Some(of.within(match guard {
        Some(guard) => parse_quote!((#test && { #(#bound)* #guard })),
        None => parse_quote!((#test)),
    }))
}

/// Rewrites `let [first, rest @ ..] = x else { … };`; gives the names of parts that are slices, and whether they may be written.
pub fn rewrite_let(local: &mut Local, referents: &Referents) -> Vec<(Ident, bool)> {
    let Some(init) = &mut local.init else { return Vec::new() };
    let Some((_, diverge)) = &init.diverge else { return Vec::new() };
    let Some(of) = of_slice(&init.expr, referents) else { return Vec::new() };
    let Some(Taken { test, setup, names, .. }) = taken(&local.pat, &of) else { return Vec::new() };
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

/// The slice that an expression is: a variable, or a part of another slice.
fn of_slice(expr: &Expr, referents: &Referents) -> Option<Of> {
    match expr {
        Expr::Path(path) => {
            let slice = path.path.get_ident()?;
            let mutable = referents.slice_of(slice)?;
            Some(Of { slice: slice.clone(), mutable, part: None })
        }
        Expr::Reference(e) if is_part(&e.expr) => {
            let slice = Ident::new("__taken", Span::mixed_site());
            Some(Of { slice, mutable: e.mutability.is_some(), part: Some(expr.clone()) })
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
    let Some(of) = of_slice(&e.expr, referents) else { return };
    if let Some(taken) = taken(&e.pat, &of) {
        block.stmts.splice(0..0, bindings(&taken));
        *cond = behind(of.named(), taken.test);
    }
}

/// A condition behind one that always holds.
fn behind(first: Option<Expr>, cond: Expr) -> Expr {
    match first {
        Some(first) => parse_quote!(#first && #cond),
        None => cond,
    }
}

/// The conditions of a chain before its last.
fn chained(cond: &mut Expr, referents: &mut Referents) {
    match cond {
        Expr::Binary(chain) if matches!(chain.op, BinOp::And(_)) => {
            chained(&mut chain.left, referents);
            let left = &chain.left;
            if let Some((test, bound)) = tried(&chain.right, referents) {
                let first: Expr = parse_quote!(#left && #test);
                *cond = bound.map_or_else(|| first.clone(), |bound| parse_quote!(#first && #bound));
            }
        }
        first => {
            if let Some((test, bound)) = tried(first, referents) {
                *first = bound.map_or_else(|| test.clone(), |bound| parse_quote!(#test && #bound));
            }
        }
    }
}

/// `let [first, ..] = x` of a chain as a test, and a `let` of the names, which always matches.
fn tried(cond: &Expr, referents: &mut Referents) -> Option<(Expr, Option<Expr>)> {
    let Expr::Let(e) = cond else { return None };
    let of = of_slice(&e.expr, referents);
    let taken = of.as_ref().and_then(|of| taken(&e.pat, of));
    referents.forget_all(e.pat.to_token_stream());
    let taken = taken?;
    taken.names.iter().for_each(|(pat, value)| referents.tested(pat, value));
    let bound = bound_in_chain(&taken);
    Some((behind(of?.named(), taken.test), bound))
}

/// The names of a pattern, for a chain of conditions.
fn bound_in_chain(Taken { setup, names, .. }: &Taken) -> Option<Expr> {
    let (pats, values): (Vec<_>, Vec<_>) = names.iter().map(|(pat, value)| (pat, value)).unzip();
    match (pats.as_slice(), values.as_slice()) {
        ([], _) => None,
        ([pat], [value]) => Some(parse_quote!(let #pat = #value)),
        _ if setup.is_empty() => Some(parse_quote!(let (#(#pats),*) = (#(#values),*))),
        _ => Some(parse_quote!(let (#(#pats),*) = { #(#setup)* (#(#values),*) })),
    }
}

fn bindings(taken: &Taken) -> Vec<Stmt> {
    let named = taken.names.iter().map(|(pat, value)| parse_quote!(let #pat = #value;));
    taken.setup.iter().cloned().chain(named).collect()
}

/// A `match` as blocks behind tests. The last arm needs none: the arms take every slice, or this gives nothing.
fn matched(e: &ExprMatch, referents: &Referents) -> Option<Expr> {
    let of = of_slice(&e.expr, referents)?;
    let case = |arm| {
        let (pat, guard) = guarded(arm);
        Some(Case { taken: any_of(pat, &of)?, guard, body: &arm.body })
    };
    let cases: Vec<Case> = e.arms.iter().map(case).collect::<Option<_>>()?;
    let takes_anything = |case: &Case| case.taken.lengths == [Length::From(0)];
    if cases.iter().all(takes_anything) || !takes_all(&cases) {
        return None;
    }
    let (last, others) = cases.split_last()?;
    let (bound, body) = (bindings(&last.taken), last.body);
    let mut plain: Expr = parse_quote!({ #(#bound)* #body });
    for Case { taken, guard, body } in others.iter().rev() {
        let test = &taken.test;
        plain = match guard {
            Some(guard) => {
                let (guard, bound) = (behind_and(guard), bound_in_chain(taken).into_iter());
                parse_quote!(if #test #(&& #bound)* && #guard { #body } else { #plain })
            }
            None => {
                let bound = bindings(taken);
                parse_quote!(if #test { #(#bound)* #body } else { #plain })
            }
        };
    }
    Some(of.within(plain))
}

/// A condition as an operand of `&&`.
fn behind_and(cond: &Expr) -> Expr {
    match cond {
        Expr::Binary(e) if matches!(e.op, BinOp::Or(_)) => parse_quote!((#cond)),
        _ => cond.clone(),
    }
}

/// Returns whether every slice matches an arm, as the lengths alone tell.
fn takes_all(cases: &[Case]) -> bool {
    let certain = |case: &Case| if case.guard.is_none() { case.taken.lengths.clone() } else { Vec::new() };
    let lengths: Vec<Length> = cases.iter().flat_map(certain).collect();
    let from = lengths.iter().filter_map(|length| match length {
        Length::From(least) => Some(*least),
        Length::Exactly(_) => None,
    });
    let ends = cases.last().is_some_and(|last| !certain(last).is_empty());
    ends && from.min().is_some_and(|from| (0..from).all(|n| lengths.contains(&Length::Exactly(n))))
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
fn any_of(pat: &Pat, of: &Of) -> Option<Taken> {
    let anything =
        |names| Taken { test: parse_quote!(true), setup: Vec::new(), names, lengths: vec![Length::From(0)] };
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
            cases.iter().all(|case| case.names.is_empty()).then(|| Taken {
                test: parse_quote!((#(#tests)||*)),
                setup: Vec::new(),
                names: Vec::new(),
                lengths: cases.iter().flat_map(|case| case.lengths.clone()).collect(),
            })
        }
        pat => taken(pat, of),
    }
}

/// A pattern of a slice; nothing if a part of it is more than a name or a constant.
fn taken(pat: &Pat, of: &Of) -> Option<Taken> {
    let (pat, by_value) = without_parens(pat, of.mutable);
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
        let Part { name, test: more } =
            part(elem, &parse_quote_spanned!(span=> #slice[#index]), (by_value, of.mutable))?;
        if let Some(name) = name {
            names.push(name);
            places.push(Place { start: at, end: None });
        }
        if let Some(more) = more {
            lengths.clear();
            test = parse_quote_spanned!(span=> #test && #more);
        }
    }
    let writes = of.mutable && !by_value && names.len() > 1;
    let setup = if writes { split(slice, &mut names, &places, span) } else { Vec::new() };
    // A name that hides the slice comes last: the other values are parts of the slice.
    names.sort_by_key(|(pat, _)| matches!(pat, Pat::Ident(name) if name.ident == *slice));
    Some(Taken { test, setup, names, lengths })
}

fn is_rest(pat: &Pat) -> bool {
    match pat {
        Pat::Rest(_) => true,
        Pat::Ident(name) => name.subpat.as_ref().is_some_and(|(_, pat)| matches!(**pat, Pat::Rest(_))),
        _ => false,
    }
}

/// A name that begins with a small letter is no constant's.
fn is_name(name: &PatIdent) -> bool {
    !name.ident.to_string().starts_with(char::is_uppercase)
}

/// What the pattern of an element means.
struct Part {
    name: Option<(Pat, Expr)>,
    test: Option<Expr>,
}

/// How the names of a pattern are bound: whether to values, and whether the slice may be written.
type Binds = (bool, bool);

/// The pattern of an element, whose names are references, or values.
fn part(pat: &Pat, element: &Expr, binds: Binds) -> Option<Part> {
    let tests = |pat: &Pat| Some(parse_quote!(matches!(#element, #pat)));
    Some(match pat {
        Pat::Wild(_) => Part { name: None, test: None },
        Pat::Paren(inner) => return part(&inner.pat, element, binds),
        Pat::Ident(name) if is_name(name) => {
            let test = match &name.subpat {
                Some((_, within)) => {
                    part(within, element, binds).filter(|of| of.name.is_none()).map(|of| of.test)?
                }
                None => None,
            };
            Part { name: Some(named(name, element, binds)?), test }
        }
        Pat::Lit(_) | Pat::Range(_) | Pat::Path(_) | Pat::Ident(_) => Part { name: None, test: tests(pat) },
        Pat::Or(or)
            if or.cases.iter().all(|case| matches!(case, Pat::Lit(_) | Pat::Range(_) | Pat::Path(_))) =>
        {
            Part { name: None, test: tests(pat) }
        }
        _ => return None,
    })
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
