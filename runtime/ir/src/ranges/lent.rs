//! What is known of elements of slices that a kernel borrows, and how long.

use std::collections::HashSet;

use super::known::Known;
use super::loads::{MEMORY, has_load, is_load, is_read_only, may_write};
use super::scope::FunctionScope;
use crate::ir::{Expr, ExprKind, Stmt};

impl Known {
    /// Forgets what is known of memory, if a statement may write it.
    pub fn pass(&mut self, stmt: &Stmt) {
        if self.has_loads() && may_write(stmt) {
            self.forget(&HashSet::from([MEMORY]));
        }
    }

    /// Adds of elements what is known of the variables that hold them.
    pub(super) fn read(&mut self, known: &Known) {
        let element = |e: &Expr| known.alias(e).filter(|e| has_load(e)).cloned();
        let of_variables: Vec<_> =
            self.ranges().filter_map(|(e, range)| Some((element(e)?, range.clone()))).collect();
        of_variables.into_iter().for_each(|(e, range)| self.learn(&e, range));
    }

    /// Keeps facts of elements only where these are of slices that the kernel borrows.
    pub(super) fn keep_lent(&mut self, scope: &FunctionScope) {
        if self.has_loads() {
            self.retain(&|e| scope.is_lent(e));
        }
    }
}

impl FunctionScope<'_> {
    /// Whether all elements in an expression are of slices that the kernel borrows.
    pub fn is_lent(&self, e: &Expr) -> bool {
        let own = match &e.kind {
            ExprKind::Index { base, .. } if is_load(e) => self.is_lent_slice(base),
            _ => true,
        };
        own && e.all_operands(|e| self.is_lent(e))
    }

    /// Whether a slice is one that the kernel borrows, or a part of one.
    fn is_lent_slice(&self, slice: &Expr) -> bool {
        let part_of = |definition: &Expr| match &definition.kind {
            ExprKind::SubSlice { base, .. } => is_read_only(base) && self.is_lent_slice(base),
            _ => false,
        };
        match slice.kind {
            ExprKind::Var(var) if let Some(definition) = self.definitions.get(&var) => part_of(definition),
            _ => self.parameter(slice).is_some(),
        }
    }
}
