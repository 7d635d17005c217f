//! `&&` and `||`, whose right side is evaluated only where it decides.

use super::Recorder;
use crate::ir::{BinaryOp, Expr, ExprKind, Type};

impl Recorder {
    /// Opens `a && …`; returns whether the right side is to be recorded.
    pub fn and_begin(&mut self, left: Expr) -> bool {
        self.if_then(left)
    }

    /// Closes `a && b`, `b` given by [`Recorder::if_value`].
    pub fn and_end(&mut self) -> Expr {
        self.lazy(BinaryOp::And)
    }

    /// Opens `a || …`; returns whether the right side is to be recorded.
    pub fn or_begin(&mut self, left: Expr) -> bool {
        let negated = self.negate(left);
        self.if_then(negated)
    }

    /// Closes `a || b`, `b` given by [`Recorder::if_value`].
    pub fn or_end(&mut self) -> Expr {
        self.lazy(BinaryOp::Or)
    }

    /// Turns the open choice into `a && b` or `a || b`; falls back to an `if` when `b` needs statements.
    fn lazy(&mut self, op: BinaryOp) -> Expr {
        let simple = {
            let frame = self.frame();
            let unknown = frame.choices.last().is_some_and(|c| c.known.is_none());
            let block = frame.block();
            unknown && block.stmts.is_empty() && !block.dead
        };
        if simple && let Some(choice) = self.frame().choices.pop() {
            self.frame().close();
            self.frame().line = choice.at;
            let right = choice.then_value.unwrap_or_else(Expr::unit);
            let left = if op == BinaryOp::Or { self.negate(choice.cond) } else { choice.cond };
            return self.lazy_pair(op, left, right);
        }
        if self.if_else() {
            self.if_value(Expr::bool(op == BinaryOp::Or));
        }
        self.if_end()
    }

    /// `left op right` for a right side without statements, folded when the right side is constant.
    fn lazy_pair(&mut self, op: BinaryOp, left: Expr, right: Expr) -> Expr {
        let neutral = op == BinaryOp::And;
        if right.as_bool() == Some(neutral) {
            return left;
        }
        Expr { kind: ExprKind::Binary(op, left.into(), right.into()), ty: Type::BOOL }
    }
}
