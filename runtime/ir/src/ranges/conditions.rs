//! Conditions that have a name.

use super::scope::FunctionScope;
use crate::ir::{BinaryOp, Expr, ExprKind, Type};

impl FunctionScope<'_> {
    /// The stable parts of `a && b && …`, which are true where it is, or of `a || b || …`, which are false where it is.
    pub(super) fn lasting_parts(&self, condition: &Expr) -> Option<(Expr, bool)> {
        let ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), ..) = &condition.kind else { return None };
        let parts = chained(condition, *op).into_iter().filter(|part| self.is_stable(part)).cloned();
        let kind = |a: Expr, b: Expr| ExprKind::Binary(*op, a.into(), b.into());
        let all = parts.reduce(|a, b| Expr { kind: kind(a, b), ty: Type::BOOL })?;
        Some((all, *op == BinaryOp::And))
    }
}

/// The operands of an operation in each other, from left to right.
fn chained(e: &Expr, op: BinaryOp) -> Vec<&Expr> {
    match &e.kind {
        ExprKind::Binary(own, a, b) if *own == op => [chained(a, op), chained(b, op)].concat(),
        _ => vec![e],
    }
}
