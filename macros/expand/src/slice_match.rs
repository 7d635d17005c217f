//! `match` of a slice, and of an `Option` of one, as blocks behind tests.

use proc_macro2::{Ident, Span};
use syn::{BinOp, Expr, ExprMatch, Pat, PatTupleStruct, parse_quote};

use super::matching::guarded;
use super::referents::Referents;
use super::slice_pattern::{
    Length, Of, Taken, all_of, any_of, bindings, bound_in_chain, is_of_slice, of_slice, taken,
};

/// An arm of a `match`.
struct Case<'e> {
    taken: Taken,
    guard: Option<&'e Expr>,
    body: &'e Expr,
}

/// A `match` as blocks behind tests, if it is one of a slice or of an `Option` of one.
pub fn matched(e: &ExprMatch, referents: &Referents) -> Option<Expr> {
    of_slices(e, referents).or_else(|| of_options(e, referents))
}

/// Of a slice. The last arm needs none: the arms take every slice, or this gives nothing.
fn of_slices(e: &ExprMatch, referents: &Referents) -> Option<Expr> {
    let of = of_slice(&e.expr, referents)?;
    let mut cases = Vec::new();
    for arm in &e.arms {
        let (pat, guard) = guarded(arm);
        for taken in alternatives(pat, &of)? {
            cases.push(Case { taken, guard, body: &arm.body });
        }
    }
    let takes_anything = |case: &Case| case.taken.lengths == [Length::From(0)];
    if cases.iter().all(takes_anything) || !takes_all(cases.iter()) {
        return None;
    }
    let (last, others) = cases.split_last()?;
    let (bound, body) = (bindings(&last.taken), last.body);
    let mut plain: Expr = parse_quote!({ #(#bound)* #body });
    for Case { taken, guard, body } in others.iter().rev() {
        plain = behind(&taken.condition(), taken, *guard, body, &plain);
    }
    Some(of.within(plain))
}

/// Of an `Option` of a slice that is read. `None` comes last, which no other arm matches, or `_`.
fn of_options(e: &ExprMatch, referents: &Referents) -> Option<Expr> {
    let of_slice =
        |arm: &syn::Arm| matches!(some_of(guarded(arm).0), Some(some) if is_of_slice(&some.elems[0]));
    if !e.arms.iter().any(of_slice) || referents.some_slice(&e.expr)? {
        return None;
    }
    let (option, scrutinee) = (Ident::new("__option", Span::mixed_site()), &e.expr);
    let (mut cases, mut none, mut rest) = (Vec::new(), None, None);
    for arm in &e.arms {
        let (pat, guard) = guarded(arm);
        match some_of(pat) {
            Some(_) if rest.is_some() => return None,
            Some(some) => {
                let held = Of::unnamed(parse_quote!(#option), false);
                let of = Of { some: Some(some.path.clone()), ..held };
                for taken in alternatives(&some.elems[0], &of)? {
                    cases.push((of.named()?, Case { taken, guard, body: &arm.body }));
                }
            }
            // Nothing stands behind an arm that takes all.
            None if guard.is_some() || rest.is_some() => return None,
            None if is_none(pat) => none = Some(&arm.body),
            None if matches!(pat, Pat::Wild(_)) => rest = Some(&arm.body),
            None => return None,
        }
    }
    let mut plain: Expr = match (none, rest) {
        (Some(none), Some(rest)) => parse_quote!(if #option.is_none() { #none } else { #rest }),
        (None, Some(rest)) => parse_quote!({ #rest }),
        (Some(none), None) if takes_all(cases.iter().map(|(_, case)| case)) => parse_quote!({ #none }),
        _ => return None,
    };
    for (named, Case { taken, guard, body }) in cases.iter().rev() {
        let test = all_of([named.clone(), taken.condition()]);
        plain = behind(&test, taken, *guard, body, &plain);
    }
    Some(parse_quote!({ let #option = #scrutinee; #plain }))
}

/// `Some(pattern)`
fn some_of(pat: &Pat) -> Option<&PatTupleStruct> {
    match pat {
        Pat::Paren(inner) => some_of(&inner.pat),
        Pat::TupleStruct(some) if some.elems.len() == 1 && some.path.is_ident("Some") => Some(some),
        _ => None,
    }
}

fn is_none(pat: &Pat) -> bool {
    matches!(pat, Pat::Ident(name) if name.ident == "None")
}

/// `body` where the test and the guard hold, and else `other`, an `if` or a block.
fn behind(test: &Expr, taken: &Taken, guard: Option<&Expr>, body: &Expr, other: &Expr) -> Expr {
    match guard {
        Some(guard) => {
            let (guard, bound) = (behind_and(guard), bound_in_chain(taken).into_iter());
            parse_quote!(if #test #(&& #bound)* && #guard { #body } else #other)
        }
        None => {
            let bound = bindings(taken);
            parse_quote!(if #test { #(#bound)* #body } else #other)
        }
    }
}

/// A condition as an operand of `&&`.
fn behind_and(cond: &Expr) -> Expr {
    match cond {
        Expr::Binary(e) if matches!(e.op, BinOp::Or(_)) => parse_quote!((#cond)),
        _ => cond.clone(),
    }
}

/// Returns whether every slice matches an arm, as the lengths alone tell.
fn takes_all<'c, 'e: 'c>(cases: impl DoubleEndedIterator<Item = &'c Case<'e>> + Clone) -> bool {
    let certain = |case: &Case| if case.guard.is_none() { case.taken.lengths.clone() } else { Vec::new() };
    let lengths: Vec<Length> = cases.clone().flat_map(certain).collect();
    let from = lengths.iter().filter_map(|length| match length {
        Length::From(least) => Some(*least),
        Length::Exactly(_) => None,
    });
    let ends = cases.clone().next_back().is_some_and(|last| !certain(last).is_empty());
    ends && from.min().is_some_and(|from| (0..from).all(|n| lengths.contains(&Length::Exactly(n))))
}

/// The patterns of an arm: one, or each alternative if they have names.
fn alternatives(pat: &Pat, of: &Of) -> Option<Vec<Taken>> {
    match (any_of(pat, of), pat) {
        (Some(taken), _) => Some(vec![taken]),
        (None, Pat::Or(or)) => or.cases.iter().map(|case| taken(case, of)).collect(),
        (None, _) => None,
    }
}
