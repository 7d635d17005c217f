//! Loop variables that only index: nothing else determines their type, so it is `usize`.
//!
//! rustc would know that at the end of the function alone, and looks at each unresolved type again at
//! every call until then. This module only looks at tokens; in doubt a variable is left to rustc.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Expr, ExprForLoop, ExprLit, Ident, Lit, LitInt, Pat};

use super::index_types::is_arithmetic;
use super::operators::plain_integer;
use crate::visitor::{Below, Visit};
use syn::visit;

/// Returns whether the variable of a loop from `start` to `end` only stands in indices made of it and literals.
pub fn only_indexes(e: &ExprForLoop, start: &Expr, end: &Expr) -> bool {
    let Pat::Ident(name) = &*e.pat else { return false };
    if plain_integer(start).is_none() || plain_integer(end).is_none() {
        return false;
    }
    let mut uses = Uses { name: &name.ident, in_indices: 0 };
    uses.visit_block(&e.body);
    uses.in_indices == mentions(e.body.to_token_stream(), &name.ident.to_string())
}

/// Writes the type of such a variable to the start of its range.
pub fn write_type(e: &mut ExprForLoop) {
    let Expr::Range(range) = &*e.expr else { return };
    let (Some(start), Some(end)) = (&range.start, &range.end) else { return };
    if !only_indexes(e, start, end) {
        return;
    }
    if let Expr::Range(range) = &mut *e.expr
        && let Some(start) = &mut range.start
        && let Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) = &mut **start
    {
        *int = LitInt::new(&format!("{int}usize"), int.span());
    }
}

/// Counts a variable's uses in indices that nothing else gives a type.
struct Uses<'a> {
    name: &'a Ident,
    in_indices: usize,
}

impl<'a> Visit<'a> for Uses<'_> {
    fn this(&mut self) -> &mut dyn Visit<'a> {
        self
    }

    fn visit_expr_index(&mut self, e: &'a syn::ExprIndex) {
        match self.untyped(&e.index) {
            Some(uses) => {
                self.in_indices += uses;
                self.visit_expr(&e.expr);
            }
            None => visit::visit_expr_index(&mut Below(self), e),
        }
    }
}

impl Uses<'_> {
    /// How often the variable stands in an expression of it and literals alone.
    fn untyped(&self, expr: &Expr) -> Option<usize> {
        let mut variables = Vec::new();
        let is_untyped = is_arithmetic(expr, &mut variables) && variables.iter().all(|v| *v == self.name);
        is_untyped.then_some(variables.len())
    }
}

/// How often tokens name a variable; text counts as well, as a format string may.
fn mentions(tokens: TokenStream, name: &str) -> usize {
    let mention = |token| match token {
        TokenTree::Group(group) => mentions(group.stream(), name),
        TokenTree::Ident(ident) => usize::from(ident == name),
        TokenTree::Literal(literal) => {
            let text = literal.to_string();
            usize::from(text.contains('"') && text.contains(name))
        }
        TokenTree::Punct(_) => 0,
    };
    tokens.into_iter().map(mention).sum()
}
