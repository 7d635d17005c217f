//! Operands in Rust's order: the emitter keeps each as it was when a later one may change it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::{BinOp, Expr, UnOp};

use super::assign::compound;
use super::lower::{Lower, Lowered};
use super::places::{Access, is_place};

/// Operands, lowered: their witnesses, and statements of the emitter that bind them to names.
pub struct Operands {
    pub witness: Vec<TokenStream>,
    pub setup: TokenStream,
    pub names: Vec<Ident>,
}

/// The form in which the first operand is kept while later ones are evaluated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum First {
    /// Its value.
    Value,
    /// Its address.
    Place(Access),
    /// Either, as the method asks of its receiver; the emitter knows it by `__receiver` and `__written`.
    Receiver,
}

impl Lower<'_> {
    /// Lowers operands of an operator, which no function is.
    pub fn operands<const N: usize>(
        &mut self,
        exprs: [&Expr; N],
    ) -> ([TokenStream; N], TokenStream, [Ident; N]) {
        let Operands { witness, setup, names } = self.values(&exprs);
        let mut witness = witness.into_iter();
        let mut names = names.into_iter();
        let mut next_name = || names.next().unwrap_or_else(|| Ident::new("__none", Span::call_site()));
        (
            std::array::from_fn(|_| witness.next().unwrap_or_default()),
            setup,
            std::array::from_fn(|_| next_name()),
        )
    }

    /// [`Lower::operands`] for any number.
    pub fn values(&mut self, exprs: &[&Expr]) -> Operands {
        self.operands_by(exprs, First::Value, Self::expr)
    }

    /// Lowers arguments, among which functions and closures may be.
    pub fn arguments(&mut self, exprs: &[&Expr]) -> Operands {
        self.operands_by(exprs, First::Value, Self::argument)
    }

    /// Returns whether lowering the expression can never add a statement or have an effect: an index or an operator may be a
    /// function of the user's own.
    pub fn is_still(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Lit(_) | Expr::Path(_) => true,
            Expr::Field(e) => self.is_still(&e.base),
            Expr::Paren(e) => self.is_still(&e.expr),
            Expr::Cast(e) => self.is_still(&e.expr),
            Expr::Unary(e) => {
                self.is_still(&e.expr) && (matches!(e.op, UnOp::Deref(_)) || self.is_scalar(&e.expr))
            }
            Expr::Index(e) => {
                self.is_still(&e.expr) && self.is_still(&e.index) && !self.may_be_overloaded(&e.expr)
            }
            Expr::Binary(e) => {
                compound(&e.op).is_none()
                    && !matches!(e.op, BinOp::And(_) | BinOp::Or(_))
                    && self.is_still(&e.left)
                    && self.is_still(&e.right)
                    && self.never_overloaded(&e.op, &e.left, &e.right)
            }
            _ => false,
        }
    }

    /// Lowers operands, each but a place by `lower`.
    pub fn operands_by(
        &mut self,
        exprs: &[&Expr],
        first: First,
        lower: fn(&mut Self, &Expr) -> Lowered,
    ) -> Operands {
        let mut operands = Operands { witness: Vec::new(), setup: TokenStream::new(), names: Vec::new() };
        for (i, expr) in exprs.iter().enumerate() {
            let Lowered { witness, emit } = match first {
                First::Place(access) if i == 0 => self.place(expr, access),
                // No function's name is the receiver of a method.
                First::Receiver if i == 0 && is_place(expr) => self.place(expr, Access::Receiver),
                First::Receiver if i == 0 => self.expr(expr),
                _ => lower(self, expr),
            };
            let name = Ident::new(&format!("__o{i}"), Span::call_site());
            if i > 0 && !self.is_still(expr) {
                operands.setup.extend(quote!(let mut __m = __r.mark(); let #name = #emit;));
                operands.keep(first, &name);
            } else {
                operands.setup.extend(quote!(let #name = #emit;));
            }
            operands.witness.push(witness);
            operands.names.push(name);
        }
        operands
    }
}

impl Operands {
    /// Keeps all operands so far while `neighbour` was evaluated.
    fn keep(&mut self, first: First, neighbour: &Ident) {
        for (i, earlier) in self.names.iter().enumerate() {
            self.setup.extend(match first {
                First::Place(_) if i == 0 => {
                    quote!(let #earlier = __r.keep_place(#earlier, &mut __m, &#neighbour);)
                }
                First::Receiver if i == 0 => {
                    quote!(let #earlier = __r.keep_receiver(__receiver, #earlier, &mut __m, &#neighbour);)
                }
                _ => quote!(let #earlier = __r.keep(#earlier, &mut __m, &#neighbour);),
            });
        }
    }
}
