//! Lowering of patterns in conditions: `if let`, `while let`, and chains of them by `&&`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Block, Expr, ExprIf, ExprWhile, Pat};

use super::control::label_text;
use super::lower::{Lower, Lowered};
use super::matching::{ArmParts, Arms, Body};
use super::pattern::{Binds, binding_names};

impl Lower<'_> {
    /// `if let pattern = value && rest { then } else { otherwise }`; `None` if no pattern is in the condition.
    pub fn if_let(&mut self, e: &ExprIf) -> Option<Lowered> {
        let terms = conjunction(&e.cond);
        if !terms.iter().any(|term| matches!(term, Expr::Let(_))) {
            return None;
        }
        let nothing: Expr = syn::parse_quote!({});
        Some(self.chain_of(&terms, &e.then_branch, Body::Expr(otherwise_of(e, &nothing))))
    }

    /// `while let pattern = value && rest { body }`; `None` if no pattern is in the condition.
    pub fn while_let(&mut self, e: &ExprWhile) -> Option<Lowered> {
        let terms = conjunction(&e.cond);
        if !terms.iter().any(|term| matches!(term, Expr::Let(_))) {
            return None;
        }
        let unrolled = self.unrolled(&e.attrs);
        let Lowered { witness, emit } = self.chain_of(&terms, &e.body, Body::Break);
        let (label, label_text) = (&e.label, label_text(e.label.as_ref().map(|l| &l.name)));
        Some(Lowered {
            witness: quote!(#label loop { #witness }),
            emit: quote!({
                __r.loop_begin(#label_text, ::warpsmith::ir::Type::Unit);
                #unrolled
                let __v = #emit;
                __r.statement(__v);
                __r.loop_end()
            }),
        })
    }

    fn chain_of(&mut self, terms: &[&Expr], then: &Block, otherwise: Body<'_>) -> Lowered {
        match terms.split_first() {
            Some((Expr::Let(first), rest)) if !is_chain(terms) => {
                self.one_pattern(first, rest, then, otherwise)
            }
            _ => self.several_patterns(terms, then, otherwise),
        }
    }

    /// One pattern and what is asked behind it: a `match` of two arms.
    fn one_pattern(
        &mut self,
        first: &syn::ExprLet,
        rest: &[&Expr],
        then: &Block,
        otherwise: Body<'_>,
    ) -> Lowered {
        let guard = rest.iter().copied().cloned().reduce(|a, b| syn::parse_quote!((#a) && (#b)));
        let wild: Pat = syn::parse_quote!(_);
        let arms = [
            ArmParts { pat: &first.pat, guard: guard.as_ref(), body: Body::Block(then) },
            ArmParts { pat: &wild, guard: None, body: otherwise },
        ];
        let Arms { scrutinee, arms, emit } = self.arms(&first.expr, &arms);
        let witness = arms.iter().map(|arm| &arm.witness);
        let sw = &scrutinee.witness;
        Lowered { witness: quote!(match #sw { #(#witness)* }), emit }
    }

    /// One `if` inside another, in a block that the innermost leaves; behind them stands what is done otherwise.
    fn several_patterns(&mut self, terms: &[&Expr], then: &Block, otherwise: Body<'_>) -> Lowered {
        self.parts += 1;
        let end = format!("__chain{}", self.parts);
        let Lowered { witness, emit } = self.choice(terms, then, otherwise, &end);
        Lowered {
            witness,
            emit: quote!({
                __r.block_begin(#end, ::core::option::Option::None);
                #emit
                __r.loop_end()
            }),
        }
    }

    /// The same in a block that is there: each `else if` leaves the block that the first `if` has begun.
    fn choice(&mut self, terms: &[&Expr], then: &Block, otherwise: Body<'_>, end: &str) -> Lowered {
        let rest = match otherwise {
            Body::Expr(Expr::If(next)) if leads_to_chain(next) => self.scoped(|lower| {
                let nothing: Expr = syn::parse_quote!({});
                let otherwise = Body::Expr(otherwise_of(next, &nothing));
                lower.choice(&conjunction(&next.cond), &next.then_branch, otherwise, end)
            }),
            other => {
                let Lowered { witness, emit } = self.scoped(|lower| lower.body(other));
                Lowered { witness, emit: quote!(let __v = #emit; __r.block_end(#end, __v);) }
            }
        };
        let Lowered { witness, emit } = self.scoped(|lower| lower.term(terms, then, end, &rest.witness));
        let rest = rest.emit;
        Lowered { witness, emit: quote!(#emit #rest) }
    }

    /// The terms of a chain from here on. For the types, what is done if one fails need stand only once: the witness never runs.
    fn term(&mut self, terms: &[&Expr], then: &Block, end: &str, fails: &TokenStream) -> Lowered {
        self.forget_line();
        let Some((term, rest)) = terms.split_first() else {
            let Lowered { witness, emit } = self.block(then);
            return Lowered { witness, emit: quote!(let __v = #emit; __r.block_end(#end, __v);) };
        };
        let unreached = quote!(::core::unreachable!());
        let when = |cond: TokenStream, then: TokenStream| {
            quote!({
                let __c = #cond;
                if __r.if_then(__c) { #then }
                let _ = __r.if_else();
                let __v = __r.if_end();
                __r.statement(__v);
            })
        };
        let Expr::Let(pattern) = term else {
            let cond = self.expr(term);
            let inner = self.term(rest, then, end, &unreached);
            let (cond_witness, inner_witness) = (cond.witness, inner.witness);
            return Lowered {
                witness: quote!(if #cond_witness { #inner_witness } else { #fails }),
                emit: when(cond.emit, inner.emit),
            };
        };
        let (value, hold) = self.scrutinee(&pattern.expr, [&*pattern.pat]);
        let of = self.part_ident();
        let tested = self.pattern(&pattern.pat, &of, Binds::Parts);
        let inner = self.term(rest, then, end, &unreached);
        let (shown, held) = (binding_names(&pattern.pat), tested.held);
        let (value_witness, value_emit, inner_witness) = (value.witness, value.emit, inner.witness);
        let (setup, bindings, inner_emit) = (tested.setup, tested.bindings, inner.emit);
        let tests = when(tested.cond, quote!(#bindings #inner_emit));
        Lowered {
            witness: quote!(match #value_witness { #shown => { #held #inner_witness } _ => { #fails } }),
            emit: quote!({ let #of = { let __v = #value_emit; #hold }; #setup #tests }),
        }
    }
}

/// Returns whether a condition tests a pattern.
pub fn has_pattern(cond: &Expr) -> bool {
    conjunction(cond).iter().any(|term| matches!(term, Expr::Let(_)))
}

/// Returns whether terms need a block of their own: a pattern stands behind another term.
fn is_chain(terms: &[&Expr]) -> bool {
    terms.iter().skip(1).any(|term| matches!(term, Expr::Let(_)))
}

/// Returns whether an `if`, or an `else if` behind it, is such a chain.
fn leads_to_chain(e: &ExprIf) -> bool {
    let next = e.else_branch.as_ref().map(|(_, next)| &**next);
    is_chain(&conjunction(&e.cond)) || matches!(next, Some(Expr::If(next)) if leads_to_chain(next))
}

/// What an `if` does otherwise.
fn otherwise_of<'e>(e: &'e ExprIf, nothing: &'e Expr) -> &'e Expr {
    e.else_branch.as_ref().map_or(nothing, |(_, branch)| branch)
}

/// The terms of `a && b && c`.
fn conjunction(cond: &Expr) -> Vec<&Expr> {
    match cond {
        Expr::Binary(syn::ExprBinary { left, op: syn::BinOp::And(_), right, .. }) => {
            let mut terms = conjunction(left);
            terms.extend(conjunction(right));
            terms
        }
        other => vec![other],
    }
}
