//! Elements of slices that a kernel borrows: they stay the same while it runs, unless it writes memory that overlaps them.
//!
//! Rust lends `&[T]` for as long as the kernel runs, so no other thread writes the elements. Should unsafe code lend a kernel the same
//! memory twice, its own writes end what is known of elements.

use std::collections::HashSet;

use super::known::Known;
use super::scope::FunctionScope;
use crate::ir::{Block, Effect, Expr, ExprKind, Stmt, StmtKind, Type, VarId, visit};

/// What stands for all memory among the variables that something changes.
pub(super) const MEMORY: VarId = VarId(u32::MAX);

/// Whether an expression is an element of a slice that is borrowed, and not to be written.
pub(super) fn is_load(e: &Expr) -> bool {
    let ExprKind::Index { base, .. } = &e.kind else { return false };
    is_read_only(base) && matches!(base.kind, ExprKind::Var(_))
}

fn is_read_only(slice: &Expr) -> bool {
    matches!(&slice.ty, Type::Ref { to, mutable: false } if matches!(**to, Type::Slice(_)))
}

/// Whether an expression has such an element in it.
pub(super) fn has_load(e: &Expr) -> bool {
    is_load(e) || e.operands().iter().any(|e| has_load(e))
}

/// Whether a statement, without the blocks in it, may write memory.
pub(super) fn writes(stmt: &Stmt) -> bool {
    let mut writes = match &stmt.kind {
        StmtKind::Assign { place, .. } => !place.is_in_variable(),
        StmtKind::Launch(_) => true,
        _ => false,
    };
    for e in visit::operands(stmt) {
        visit::expr(e, &mut |e| match &e.kind {
            ExprKind::Builtin { op, .. } => writes |= op.effect != Effect::Pure,
            ExprKind::Call { effect, .. } => writes |= *effect != Effect::Pure,
            ExprKind::Closure(_) | ExprKind::CallClosure { .. } => writes = true,
            _ => {}
        });
    }
    writes
}

/// Whether a block may write memory.
pub(super) fn block_writes(block: &Block) -> bool {
    let mut any = false;
    visit::stmts(block, &mut |stmt| any |= writes(stmt));
    any
}

impl Known {
    /// Forgets what is known of memory, if a statement may write it.
    pub fn pass(&mut self, stmt: &Stmt) {
        if self.has_loads() && writes(stmt) {
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
        own && e.operands().iter().all(|e| self.is_lent(e))
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
