//! Lowering of `flat_map` and `flatten`: the closure of `flat_map` gives an iterator, over which an inner loop runs.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Block, Expr, ExprMethodCall, Stmt};

use super::consumer::Inlined;
use super::iteration::chain_has;
use super::leaving::leaves;
use super::lower::{Lower, Lowered};

/// The adapters that open an inner loop.
const NESTING: [&str; 2] = ["flat_map", "flatten"];

/// Adapters, and ends of iterators, that ask for the number of items, or for the last one first.
const COUNTING: [&str; 6] = ["zip", "step_by", "rev", "chain", "rfind", "rposition"];

/// Returns whether an iterator opens inner loops.
pub fn is_nested(iterator: &Expr) -> bool {
    chain_has(iterator, &NESTING)
}

/// Why an iterator with inner loops stands nowhere else.
pub const WALKED_ONCE: &str = "an iterator with `flat_map` or `flatten` is walked from its start in a kernel, by `for` or by what ends it in a value, \
    and neither zipped, chained, reversed nor advanced; write one loop inside of another";

/// Returns whether a method cannot stand behind an inner loop, or take one.
pub fn counts(call: &ExprMethodCall) -> bool {
    let joins = call.method == "zip" || call.method == "chain";
    let nests = is_nested(&call.receiver) || joins && call.args.iter().any(is_nested);
    nests && COUNTING.iter().any(|name| call.method == name)
}

impl Lower<'_> {
    /// `iterator.flat_map(f)`
    pub(super) fn flat_map(&mut self, call: &ExprMethodCall, f: &Expr) -> Lowered {
        let (dot, method) = (&call.dot_token, &call.method);
        let iter = self.iterator(&call.receiver);
        let of = self.part_ident();
        let body = self.inlined_by(f, std::slice::from_ref(&of), Self::inner);
        let (iter_witness, iter_emit) = (iter.witness, iter.emit);
        let Inlined { witness: body_witness, captures, moves, emit: body_emit } = body;
        Lowered {
            witness: quote!(#iter_witness #dot #method(#body_witness)),
            emit: quote!({ let __i = #iter_emit; #captures __r.iter_flat_map(__i, #moves |__r, #of, __then| #body_emit) }),
        }
    }

    /// The body of the closure of `flat_map`; its emitter hands a `record::Inner` on, and gives an item of it.
    fn inner(&mut self, body: &Expr) -> Lowered {
        if !leaves(body) {
            return self.inner_iterator(body);
        }
        let Lowered { witness, emit } = self.closure_value(body);
        Lowered { witness, emit: inner_of(&emit) }
    }

    /// The same without `return` and `?`, where an iterator need not be a value.
    fn inner_iterator(&mut self, body: &Expr) -> Lowered {
        match body {
            Expr::Paren(inner) => {
                let Lowered { witness, emit } = self.inner_iterator(&inner.expr);
                Lowered { witness: quote!((#witness)), emit }
            }
            Expr::Block(block) if block.label.is_none() => self.inner_block(&block.block),
            walked if self.is_walked(walked) => {
                let Lowered { witness, emit } = self.iterator(walked);
                Lowered {
                    witness,
                    emit: quote!({ let __i = #emit; __then(__r, ::warpsmith::__macro::Inner::Walked(__i)) }),
                }
            }
            value => {
                let Lowered { witness, emit } = self.expr(value);
                Lowered { witness, emit: inner_of(&emit) }
            }
        }
    }

    /// A block that ends in an iterator.
    fn inner_block(&mut self, block: &Block) -> Lowered {
        let Some((Stmt::Expr(last, None), before)) = block.stmts.split_last() else {
            let Lowered { witness, emit } = self.block(block);
            return Lowered { witness, emit: inner_of(&emit) };
        };
        let (before, last) = self.scoped(|lower| (lower.statements(before), lower.inner_iterator(last)));
        let (before_witness, before_emit, witness, emit) =
            (before.witness, before.emit, last.witness, last.emit);
        Lowered { witness: quote!({ #before_witness #witness }), emit: quote!({ #before_emit; #emit }) }
    }
}

/// Hands on what a value gives, whose emitter this is.
fn inner_of(emit: &TokenStream) -> TokenStream {
    quote!({ let __v = #emit; let __i = __r.inner_of(__v); __then(__r, __i) })
}
