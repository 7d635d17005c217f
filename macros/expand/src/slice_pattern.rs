//! Patterns of slices, as tests of the length and of elements, and names for elements.
//!
//! `if let [first, rest @ ..] = x { … }` is `if x.len() >= 1 { let first = &x[0]; let rest = &x[1..]; … }`. Slices of bodies are
//! descriptors, which no pattern of Rust's takes apart, so this is done for variables that tokens tell to be slices.

use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{
    Block, Expr, ExprMatch, Lifetime, Local, Pat, PatIdent, PatSlice, Stmt, parse_quote, parse_quote_spanned,
};

use super::matching::guarded;
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

/// Rewrites an `if let`, a `while let` or a `match` of a slice.
pub fn rewrite(expr: &mut Expr, referents: &Referents) {
    match expr {
        Expr::If(e) => tested(&mut e.cond, &mut e.then_branch, referents),
        Expr::While(e) => tested(&mut e.cond, &mut e.body, referents),
        Expr::Match(e) => {
            if let Some(plain) = matched(e, referents) {
                *expr = plain;
            }
        }
        _ => {}
    }
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
    let Expr::Let(e) = &*cond else { return };
    if let Some(taken) = of_slice(&e.expr, referents).and_then(|x| taken(&e.pat, x)) {
        block.stmts.splice(0..0, bindings(&taken));
        *cond = taken.test;
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
    let label = label(e);
    let is_guarded = cases.iter().any(|case| case.guard.is_some());
    let (last, others) = cases.split_last()?;
    let (bound, body) = (bindings(&last.taken), last.body);
    let mut plain: Expr = parse_quote!({ #(#bound)* #body });
    for Case { taken, guard, body } in others.iter().rev() {
        let (test, bound) = (&taken.test, bindings(taken));
        plain = match guard {
            _ if !is_guarded => parse_quote!(if #test { #(#bound)* #body } else { #plain }),
            None => parse_quote!({ if #test { #(#bound)* break #label #body; } #plain }),
            Some(guard) => {
                parse_quote!({ if #test { #(#bound)* if #guard { break #label #body; } } #plain })
            }
        };
    }
    Some(if is_guarded { parse_quote!(#label: #plain) } else { parse_quote!((#plain)) })
}

/// A label that no `match` inside of this one has: each has fewer inside of it.
fn label(e: &ExprMatch) -> Lifetime {
    fn matches(tokens: TokenStream) -> usize {
        let count = |token| match token {
            TokenTree::Group(group) => matches(group.stream()),
            token => usize::from(token.to_string() == "match"),
        };
        tokens.into_iter().map(count).sum()
    }
    Lifetime::new(&format!("'__matched_{}", matches(e.to_token_stream())), Span::call_site())
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

fn pat_without_parens(pat: &Pat) -> &Pat {
    match pat {
        Pat::Paren(inner) => pat_without_parens(&inner.pat),
        pat => pat,
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
    let Pat::Slice(PatSlice { elems, .. }) = pat_without_parens(pat) else { return None };
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
                    let (start, end) = (index(i, false), index(behind - 1, true));
                    let name = PatIdent { subpat: None, ..name.clone() };
                    names.push((Pat::Ident(name), parse_quote_spanned!(span=> &#slice[#start..#end])));
                }
                continue;
            }
            Some(rest) if i > rest => index(behind, true),
            _ => index(i, false),
        };
        match part(elem, &parse_quote_spanned!(span=> #slice[#at]))? {
            Part::Nothing => {}
            Part::Name(pat, value) => names.push((pat, value)),
            Part::Test(more) => {
                lengths.clear();
                test = parse_quote_spanned!(span=> #test && #more);
            }
        }
    }
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

enum Part {
    Nothing,
    Name(Pat, Expr),
    Test(Expr),
}

/// The pattern of an element.
fn part(pat: &Pat, element: &Expr) -> Option<Part> {
    Some(match pat {
        Pat::Wild(_) => Part::Nothing,
        Pat::Paren(inner) => return part(&inner.pat, element),
        Pat::Ident(name) if name.subpat.is_none() && is_name(name) => {
            let (ident, mutability) = (&name.ident, &name.mutability);
            if mutability.is_some() {
                return None;
            }
            Part::Name(parse_quote!(#ident), parse_quote!(&#element))
        }
        Pat::Lit(_) | Pat::Range(_) | Pat::Path(_) | Pat::Ident(_) => {
            Part::Test(parse_quote!(matches!(#element, #pat)))
        }
        Pat::Or(or)
            if or.cases.iter().all(|case| matches!(case, Pat::Lit(_) | Pat::Range(_) | Pat::Path(_))) =>
        {
            Part::Test(parse_quote!(matches!(#element, #pat)))
        }
        _ => return None,
    })
}
