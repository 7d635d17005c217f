//! Lowering of `return` and `?` in closures.
//!
//! The body of an iterator's closure stands where the loop calls it, as a labelled block. So `return value` leaves that block.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Expr, ExprClosure, ExprReturn, ExprTry, Macro};

use super::lower::{Lower, Lowered, any_ident, as_statement};
use crate::tokens::optional;
use crate::visitor::{Below, Visit};
use syn::visit;

/// The label of the block that stands for the body of a closure. No label of the user's looks like it.
const LABEL: &str = "'closure value";

/// What `return` and `?` leave.
#[derive(Clone, Copy, Default)]
pub enum Leaves {
    /// The function.
    #[default]
    Function,
    /// A closure that a variable or a parameter holds; the number of the probe of its value.
    Closure(usize),
    /// The block in the place of an iterator's closure; the number of the probe of its value.
    Block(usize),
}

impl Lower<'_> {
    /// Lowers what `leaves` says about with `return` and `?`.
    pub(super) fn leaving<R>(&mut self, leaves: Leaves, lower: impl FnOnce(&mut Self) -> R) -> R {
        let around = std::mem::replace(&mut self.leaves, leaves);
        let result = lower(self);
        self.leaves = around;
        result
    }

    /// The body of a closure of an iterator: a block, if it has a `return` or a `?`.
    pub(super) fn closure_value(&mut self, body: &Expr) -> Lowered {
        if !leaves(body) {
            return self.expr(body);
        }
        let span = Span::call_site();
        let (probe, index) = self.probe(span);
        let Lowered { witness, emit } = self.leaving(Leaves::Block(index), |within| within.expr(body));
        self.forget_line();
        Lowered {
            witness: self.tap(&probe, span, body, as_statement(body, witness)),
            emit: quote!({
                __r.block_begin(#LABEL, ::core::option::Option::Some(__t.ty(#index)));
                let __v = #emit;
                __r.block_end(#LABEL, __v);
                __r.loop_end()
            }),
        }
    }

    pub(super) fn return_(&mut self, e: &ExprReturn) -> Lowered {
        let (value, emit) = match &e.expr {
            Some(value) => {
                let Lowered { witness, emit } = self.expr(value);
                (witness, quote!(::core::option::Option::Some(#emit)))
            }
            None => (quote!(()), quote!(::core::option::Option::None)),
        };
        let keyword = self.return_witness(e.return_token.span);
        let emit = match self.leaves {
            Leaves::Block(_) => {
                let label = optional(Some(LABEL));
                quote!({ let __v = #emit; __r.break_(#label, __v) })
            }
            Leaves::Function | Leaves::Closure(_) => quote!({ let __v = #emit; __r.return_(__v) }),
        };
        Lowered { witness: quote!(#keyword(#value)), emit }
    }

    /// The witness of a `return`. The witness itself returns its probes, so a `return` of the user's only gives its value
    /// to `__returns`; one in a closure is the closure's own.
    fn return_witness(&self, span: Span) -> TokenStream {
        if self.closures > 0 {
            quote_spanned!(span=> return)
        } else {
            let returns = self.own_name("__returns", span);
            quote_spanned!(span=> #returns.give)
        }
    }

    /// `value?` in a closure; in a function it is a `match` by now.
    pub(super) fn question(&mut self, e: &ExprTry) -> Option<Lowered> {
        let (label, index) = match self.leaves {
            Leaves::Function => return None,
            Leaves::Closure(index) => (optional(None::<&str>), index),
            Leaves::Block(index) => (optional(Some(LABEL)), index),
        };
        let Lowered { witness, emit } = self.expr(&e.expr);
        let line = self.line(e.question_token.span);
        let question = &e.question_token;
        Some(Lowered {
            // rustc would ask of which type a refused value is.
            witness: if self.errors.any() { witness } else { quote!(#witness #question) },
            emit: quote!({ let __v = #emit; #line __r.question(__v, #label, __t.ty(#index)) }),
        })
    }
}

/// Returns whether an expression has a `return` or a `?` of its closure's own. A macro with such a token counts as one.
pub(super) fn leaves(body: &Expr) -> bool {
    struct Search(bool);
    impl<'a> Visit<'a> for Search {
        fn this(&mut self) -> &mut dyn Visit<'a> {
            self
        }

        fn visit_expr_return(&mut self, _: &'a ExprReturn) {
            self.0 = true;
        }

        fn visit_expr_try(&mut self, _: &'a ExprTry) {
            self.0 = true;
        }

        fn visit_macro(&mut self, mac: &'a Macro) {
            self.0 |= mac.tokens.to_string().contains('?')
                || any_ident(mac.tokens.clone(), &|name| name == "return");
        }

        fn visit_expr_closure(&mut self, _: &'a ExprClosure) {}
    }
    let mut search = Search(false);
    visit::visit_expr(&mut Below(&mut search), body);
    search.0
}
