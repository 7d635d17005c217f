//! Conditions that have a name.

use super::scope::FunctionScope;
use crate::ir::{BinaryOp, Expr, ExprKind, Type, UnaryOp};

impl FunctionScope<'_> {
    /// The stable parts of `a && b && …`, which are true where it is, or of `a || b || …`, which are false where it is.
    pub(super) fn lasting_parts(&self, condition: &Expr) -> Option<(Expr, bool)> {
        if let ExprKind::Select(cond, then, otherwise) = &condition.kind {
            return self.branch_taken(cond, then, otherwise);
        }
        let ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), ..) = &condition.kind else { return None };
        let parts = chained(condition, *op).into_iter().filter(|part| self.is_stable(part)).cloned();
        let kind = |a: Expr, b: Expr| ExprKind::Binary(*op, a.into(), b.into());
        let all = parts.reduce(|a, b| Expr { kind: kind(a, b), ty: Type::BOOL })?;
        Some((all, *op == BinaryOp::And))
    }

    /// The condition `c` of `if c { … } else { false }`, which is true where the whole is, and the like for `true` and for the other branch.
    fn branch_taken(&self, cond: &Expr, then: &Expr, otherwise: &Expr) -> Option<(Expr, bool)> {
        let (value, holds) = match (then.as_bool(), otherwise.as_bool()) {
            (None, Some(value)) => (value, true),
            (Some(value), None) => (value, false),
            _ => return None,
        };
        let own = if holds == value {
            Expr { kind: ExprKind::Unary(UnaryOp::Not, cond.clone().into()), ty: Type::BOOL }
        } else {
            cond.clone()
        };
        self.is_stable(cond).then_some((own, !value))
    }
}

/// The operands of an operation in each other, from left to right.
pub(super) fn chained(e: &Expr, op: BinaryOp) -> Vec<&Expr> {
    match &e.kind {
        ExprKind::Binary(own, a, b) if *own == op => [chained(a, op), chained(b, op)].concat(),
        _ => vec![e],
    }
}
