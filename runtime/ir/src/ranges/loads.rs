//! Elements of slices that a kernel borrows: they stay the same while it runs, unless it writes memory that overlaps them.
//!
//! Rust lends `&[T]` for as long as the kernel runs, so no other thread writes the elements. Should unsafe code lend a kernel the same
//! memory twice, its own writes end what is known of elements.

use std::collections::HashSet;

use crate::ir::{Block, Effect, Expr, ExprKind, Stmt, StmtKind, Type, VarId, visit};

/// What stands for all memory among the variables that something changes.
pub(super) const MEMORY: VarId = VarId(u32::MAX);

/// Whether an expression is an element of a slice that is borrowed, and not to be written.
pub(super) fn is_load(e: &Expr) -> bool {
    let ExprKind::Index { base, .. } = &e.kind else { return false };
    is_read_only(base) && matches!(base.kind, ExprKind::Var(_))
}

pub(super) fn is_read_only(slice: &Expr) -> bool {
    matches!(&slice.ty, Type::Ref { to, mutable: false } if matches!(**to, Type::Slice(_)))
}

/// Whether an expression has such an element in it.
pub(crate) fn has_load(e: &Expr) -> bool {
    is_load(e) || e.any_operand(has_load)
}

/// Whether a statement itself, without the blocks in it, may write memory or order it, and whether it holds a closure, which may.
pub(crate) fn writes(stmt: &Stmt) -> (bool, bool) {
    let (mut writes, mut has_closure) = match &stmt.kind {
        StmtKind::Assign { place, .. } => (!place.is_in_variable(), false),
        StmtKind::Launch(_) => (true, false),
        _ => (false, false),
    };
    for e in visit::operands(stmt) {
        visit::expr(e, &mut |e| match &e.kind {
            ExprKind::Builtin { op, .. } => writes |= op.effect != Effect::Pure,
            ExprKind::Call { effect, .. } => writes |= *effect != Effect::Pure,
            ExprKind::Closure(_) | ExprKind::CallClosure { .. } => has_closure = true,
            _ => {}
        });
    }
    (writes, has_closure)
}

/// Whether a statement itself may write memory, by a closure too.
pub(super) fn may_write(stmt: &Stmt) -> bool {
    let (writes, has_closure) = writes(stmt);
    writes || has_closure
}

/// Whether a block may write memory.
pub(super) fn block_writes(block: &Block) -> bool {
    let mut any = false;
    visit::stmts(block, &mut |stmt| any |= may_write(stmt));
    any
}

/// Whether an expression has one of some variables in it, or an element of a slice, if all memory is among them.
pub(crate) fn mentions(e: &Expr, vars: &HashSet<VarId>) -> bool {
    matches!(e.kind, ExprKind::Var(var) if vars.contains(&var))
        || is_load(e) && vars.contains(&MEMORY)
        || e.any_operand(|e| mentions(e, vars))
}
