//! Patterns of slices, as tests of the length and of elements, and names for elements.
//!
//! `if let [first, rest @ ..] = x { … }` is `if x.len() >= 1 { let first = &x[0]; let rest = &x[1..]; … }`, and `let first = x[0];` of
//! `&[first, ..]`. Slices of bodies are descriptors, which no pattern of Rust's takes apart, so this is done for variables that tokens
//! tell to be slices.

use proc_macro2::{Ident, Literal};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{
    BinOp, Block, Expr, ExprMatch, Local, Pat, PatIdent, PatSlice, Stmt, parse_quote, parse_quote_spanned,
};

use super::matching::{Matches, guarded};
use super::referents::Referents;

/// A pattern of a slice.
struct Taken {
    /// Whether the slice matches.
    test: Expr,
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
    let taken = any_of(pat, of_slice(value, referents)?)?;
    let (test, bound) = (&taken.test, bindings(&taken));
    Some(match guard {
        Some(guard) => parse_quote!((#test && { #(#bound)* #guard })),
        None => parse_quote!((#test)),
    })
}

/// Rewrites `let [first, rest @ ..] = x else { … };`; gives the names of parts that are slices.
pub fn rewrite_let(local: &mut Local, referents: &Referents) -> Vec<Ident> {
    let Some(init) = &mut local.init else { return Vec::new() };
    let Some((_, diverge)) = &init.diverge else { return Vec::new() };
    let Some(Taken { test, names, .. }) = of_slice(&init.expr, referents).and_then(|x| taken(&local.pat, x))
    else {
        return Vec::new();
    };
    let (pats, values): (Vec<_>, Vec<_>) = names.into_iter().unzip();
    let is_part = |(pat, value): (&Pat, &Expr)| match (pat, value) {
        (Pat::Ident(name), Expr::Reference(part)) => match &*part.expr {
            Expr::Index(index) if matches!(*index.index, Expr::Range(_)) => Some(name.ident.clone()),
            _ => None,
        },
        _ => None,
    };
    let slices = pats.iter().zip(&values).filter_map(is_part).collect();
    *init.expr = match values.as_slice() {
        [value] => parse_quote!(if #test { #value } else #diverge),
        values => parse_quote!(if #test { (#(#values),*) } else #diverge),
    };
    local.pat = match pats.as_slice() {
        [pat] => pat.clone(),
        pats => parse_quote!((#(#pats),*)),
    };
    init.diverge = None;
    slices
}

/// The name of a variable that is a slice.
fn of_slice<'e>(expr: &'e Expr, referents: &Referents) -> Option<&'e Ident> {
    let Expr::Path(path) = expr else { return None };
    path.path.get_ident().filter(|name| referents.is_slice(name))
}

/// A condition `let [first, ..] = x`, and the block behind it.
fn tested(cond: &mut Expr, block: &mut Block, referents: &Referents) {
    if let Expr::Binary(chain) = cond
        && let BinOp::And(_) = chain.op
    {
        // What stands behind a pattern in a chain may use its names.
        let mut within = referents.clone();
        chained(&mut chain.left, &mut within);
        return tested(&mut chain.right, block, &within);
    }
    let Expr::Let(e) = &*cond else { return };
    if let Some(taken) = of_slice(&e.expr, referents).and_then(|x| taken(&e.pat, x)) {
        block.stmts.splice(0..0, bindings(&taken));
        *cond = taken.test;
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
    let taken = of_slice(&e.expr, referents).and_then(|x| taken(&e.pat, x));
    referents.forget_all(e.pat.to_token_stream());
    let taken = taken?;
    taken.names.iter().for_each(|(pat, value)| referents.tested(pat, value));
    let bound = bound_in_chain(&taken);
    Some((taken.test, bound))
}

/// The names of a pattern, for a chain of conditions.
fn bound_in_chain(Taken { names, .. }: &Taken) -> Option<Expr> {
    let (pats, values): (Vec<_>, Vec<_>) = names.iter().map(|(pat, value)| (pat, value)).unzip();
    match (pats.as_slice(), values.as_slice()) {
        ([], _) => None,
        ([pat], [value]) => Some(parse_quote!(let #pat = #value)),
        _ => Some(parse_quote!(let (#(#pats),*) = (#(#values),*))),
    }
}

fn bindings(taken: &Taken) -> Vec<Stmt> {
    taken.names.iter().map(|(pat, value)| parse_quote!(let #pat = #value;)).collect()
}

/// A `match` as blocks behind tests. The last arm needs none: the arms take every slice, or this gives nothing.
fn matched(e: &ExprMatch, referents: &Referents) -> Option<Expr> {
    let slice = of_slice(&e.expr, referents)?;
    let case = |arm| {
        let (pat, guard) = guarded(arm);
        Some(Case { taken: any_of(pat, slice)?, guard, body: &arm.body })
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
    Some(plain)
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

/// The pattern in parentheses, and whether it is one of values: behind a `&`.
fn without_parens(pat: &Pat) -> (&Pat, bool) {
    match pat {
        Pat::Paren(inner) => without_parens(&inner.pat),
        Pat::Reference(of) if of.mutability.is_none() => (without_parens(&of.pat).0, true),
        pat => (pat, false),
    }
}

/// A pattern of an arm: of slices, or of anything.
fn any_of(pat: &Pat, slice: &Ident) -> Option<Taken> {
    let anything = |names| Taken { test: parse_quote!(true), names, lengths: vec![Length::From(0)] };
    match pat {
        Pat::Paren(inner) => any_of(&inner.pat, slice),
        Pat::Wild(_) => Some(anything(Vec::new())),
        Pat::Ident(name) if name.subpat.is_none() && is_name(name) => {
            Some(anything(vec![(pat.clone(), parse_quote!(#slice))]))
        }
        Pat::Or(or) => {
            let cases: Vec<Taken> = or.cases.iter().map(|case| taken(case, slice)).collect::<Option<_>>()?;
            let tests = cases.iter().map(|case| &case.test);
            cases.iter().all(|case| case.names.is_empty()).then(|| Taken {
                test: parse_quote!((#(#tests)||*)),
                names: Vec::new(),
                lengths: cases.iter().flat_map(|case| case.lengths.clone()).collect(),
            })
        }
        pat => taken(pat, slice),
    }
}

/// A pattern of a slice; nothing if a part of it is more than a name or a constant.
fn taken(pat: &Pat, slice: &Ident) -> Option<Taken> {
    let (Pat::Slice(PatSlice { elems, .. }), by_value) = without_parens(pat) else { return None };
    let rest = elems.iter().position(is_rest);
    let least = elems.len() - usize::from(rest.is_some());
    let span = pat.span();
    let length = Literal::usize_suffixed(least);
    let mut test: Expr = match rest {
        None => parse_quote_spanned!(span=> #slice.len() == #length),
        Some(_) => parse_quote_spanned!(span=> #slice.len() >= #length),
    };
    let (mut names, mut lengths) =
        (Vec::new(), vec![rest.map_or(Length::Exactly(least), |_| Length::From(least))]);
    for (i, elem) in elems.iter().enumerate() {
        let behind = elems.len() - i;
        let index = |n: usize, from_end: bool| -> Expr {
            let n = Literal::usize_suffixed(n);
            if from_end {
                parse_quote_spanned!(span=> #slice.len() - #n)
            } else {
                parse_quote_spanned!(span=> #n)
            }
        };
        let at = match rest {
            Some(rest) if i == rest => {
                if let Pat::Ident(name) = elem {
                    if by_value != name.by_ref.is_some() {
                        return None;
                    }
                    let start = index(i, false);
                    let end = (behind > 1).then(|| index(behind - 1, true));
                    let name = PatIdent { subpat: None, by_ref: None, ..name.clone() };
                    names.push((Pat::Ident(name), parse_quote_spanned!(span=> &#slice[#start..#end])));
                }
                continue;
            }
            Some(rest) if i > rest => index(behind, true),
            _ => index(i, false),
        };
        let Part { name, test: more } = part(elem, &parse_quote_spanned!(span=> #slice[#at]), by_value)?;
        names.extend(name);
        if let Some(more) = more {
            lengths.clear();
            test = parse_quote_spanned!(span=> #test && #more);
        }
    }
    // A name that hides the slice comes last: the other values are parts of the slice.
    names.sort_by_key(|(pat, _)| matches!(pat, Pat::Ident(name) if name.ident == *slice));
    Some(Taken { test, names, lengths })
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

/// The pattern of an element, whose names are references, or values.
fn part(pat: &Pat, element: &Expr, by_value: bool) -> Option<Part> {
    let tests = |pat: &Pat| Some(parse_quote!(matches!(#element, #pat)));
    Some(match pat {
        Pat::Wild(_) => Part { name: None, test: None },
        Pat::Paren(inner) => return part(&inner.pat, element, by_value),
        Pat::Ident(name) if is_name(name) => {
            let test = match &name.subpat {
                Some((_, within)) => {
                    Some(part(within, element, by_value)?).filter(|of| of.name.is_none())?.test
                }
                None => None,
            };
            Part { name: Some(named(name, element, by_value)?), test }
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
fn named(name: &PatIdent, element: &Expr, by_value: bool) -> Option<(Pat, Expr)> {
    let PatIdent { ident, mutability, by_ref, .. } = name;
    match (by_value, by_ref, mutability) {
        (true, None, mutability) => Some((parse_quote!(#mutability #ident), element.clone())),
        (true, Some(_), None) | (false, None, None) => Some((parse_quote!(#ident), parse_quote!(&#element))),
        _ => None,
    }
}
