//! Conditions that have a name.

use super::scope::FunctionScope;
use crate::ir::{BinaryOp, Block, Expr, ExprKind, StmtKind, Type, UnaryOp, VarId};

impl FunctionScope<'_> {
    /// Remembers what holds where an immutable condition is true that two branches give values: one of them `false`.
    pub(crate) fn define_chosen(&mut self, cond: &Expr, then: &Block, otherwise: &Block) {
        let Some(((var, a), (other, b))) = last_given(then).zip(last_given(otherwise)) else { return };
        if var != other || a.ty != Type::BOOL || self.is_mutable(var) {
            return;
        }
        let parts = match (a.as_bool(), b.as_bool()) {
            (None, Some(false)) => [cond.clone(), a.clone()],
            (Some(false), None) => {
                let not = ExprKind::Unary(UnaryOp::Not, cond.clone().into());
                [Expr { kind: not, ty: Type::BOOL }, b.clone()]
            }
            _ => return,
        };
        let parts = parts.into_iter().filter(|part| self.is_stable(part));
        if let Some(all) = parts.reduce(|a, b| Expr::binary(BinaryOp::And, a, b)) {
            self.conditions.insert(var, (all, true));
        }
    }

    /// The stable parts of `a && b && …`, which are true where it is, or of `a || b || …`, which are false where it is.
    pub(super) fn lasting_parts(&self, condition: &Expr) -> Option<(Expr, bool)> {
        let ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), ..) = &condition.kind else { return None };
        let parts = chained(condition, *op).into_iter().filter(|part| self.is_stable(part)).cloned();
        let kind = |a: Expr, b: Expr| ExprKind::Binary(*op, a.into(), b.into());
        let all = parts.reduce(|a, b| Expr { kind: kind(a, b), ty: Type::BOOL })?;
        Some((all, *op == BinaryOp::And))
    }
}

/// The variable that a block gives a value last, and the value.
fn last_given(block: &Block) -> Option<(VarId, &Expr)> {
    match &block.stmts.last()?.kind {
        StmtKind::Assign { place: Expr { kind: ExprKind::Var(var), .. }, op: None, value } => Some((*var, value)),
        _ => None,
    }
}

/// The operands of an operation in each other, from left to right.
fn chained(e: &Expr, op: BinaryOp) -> Vec<&Expr> {
    match &e.kind {
        ExprKind::Binary(own, a, b) if *own == op => [chained(a, op), chained(b, op)].concat(),
        _ => vec![e],
    }
}
