//! Conditions by their form: those on which the lanes of a warp certainly agree, and those that part them.

use super::uniformity::Frame;
use crate::ir::{BinaryOp, Expr, ExprKind, Position, UnaryOp, VarId};

impl<'f> Frame<'f> {
    /// Returns whether `a op b` is equal in all lanes of a warp though `a` is the thread's index:
    /// `tid < 32`, `tid / 32`, `tid >> 5`. Takes blocks to be cut into warps along `x`.
    pub(super) fn is_warp_test(&self, op: BinaryOp, a: &Expr, b: &Expr) -> bool {
        let Some(n) = b.as_int() else { return false };
        let aligned = match op {
            BinaryOp::Lt | BinaryOp::Ge | BinaryOp::Div => n > 0 && n % 32 == 0,
            BinaryOp::Le | BinaryOp::Gt => (n + 1) % 32 == 0,
            BinaryOp::Shr => n >= 5,
            _ => false,
        };
        aligned && self.is_thread_index(a)
    }

    /// Returns whether `a op b` is equal in all threads of a warpgroup though `a` is the thread's index, or its warp's:
    /// `tid < 128`, `tid / 128`, `tid >> 7`, `warp_id() / 4`. Takes blocks to be cut into warps along `x`.
    pub(super) fn is_warpgroup_test(&self, op: BinaryOp, a: &Expr, b: &Expr) -> bool {
        let Some(n) = b.as_int() else { return false };
        let (threads, bits) = match () {
            () if self.is_thread_index(a) => (128, 7),
            () if self.is_warp(a) => (4, 2),
            () => return false,
        };
        match op {
            BinaryOp::Lt | BinaryOp::Ge | BinaryOp::Div => n > 0 && n % threads == 0,
            BinaryOp::Le | BinaryOp::Gt => (n + 1) % threads == 0,
            BinaryOp::Shr => n >= bits,
            _ => false,
        }
    }

    /// Returns whether an expression is `warp_id()`, a quotient of the thread's index by 32, or a name for one.
    fn is_warp(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Builtin { op, .. } => op.position() == Some(Position::WarpId),
            ExprKind::Var(id) => self.definition(*id).is_some_and(|init| self.is_warp(init)),
            ExprKind::Cast(inner) => self.is_warp(inner),
            ExprKind::Binary(BinaryOp::Div, a, b) => self.is_thread_index(a) && b.as_int() == Some(32),
            ExprKind::Binary(BinaryOp::Shr, a, b) => self.is_thread_index(a) && b.as_int() == Some(5),
            _ => false,
        }
    }

    /// Returns whether an expression is `thread_idx().x`, or a name for it.
    fn is_thread_index(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Cast(inner) => self.is_thread_index(inner),
            ExprKind::Field(base, name) => {
                name == "x"
                    && matches!(&base.kind, ExprKind::Builtin { op, .. } if op.position() == Some(Position::ThreadIndex))
            }
            ExprKind::Var(id) => self.definition(*id).is_some_and(|init| self.is_thread_index(init)),
            _ => false,
        }
    }

    /// Returns whether an expression is `lane_id()`, a remainder of the thread's index by 32, or a name for one.
    fn is_lane(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Builtin { op, .. } => op.position() == Some(Position::LaneId),
            ExprKind::Var(id) => self.definition(*id).is_some_and(|init| self.is_lane(init)),
            ExprKind::Cast(inner) => self.is_lane(inner),
            ExprKind::Binary(BinaryOp::BitAnd, a, b) => self.is_thread_index(a) && b.as_int() == Some(31),
            ExprKind::Binary(BinaryOp::Rem, a, b) => self.is_thread_index(a) && b.as_int() == Some(32),
            _ => false,
        }
    }

    /// The initial value of an immutable variable.
    fn definition(&self, id: VarId) -> Option<&'f Expr> {
        self.definitions.get(&id).copied()
    }

    /// Returns whether lanes of one warp certainly disagree on a condition.
    pub(super) fn parts(&self, cond: &Expr) -> bool {
        let (op, a, b) = match &cond.kind {
            ExprKind::Builtin { op, .. } => return op.facts.elects,
            ExprKind::Var(id) => return self.definition(*id).is_some_and(|init| self.parts(init)),
            ExprKind::Unary(UnaryOp::Not, inner) => return self.parts(inner),
            ExprKind::Binary(op, a, b) => (op, a, b),
            _ => return false,
        };
        let index = |e: &Expr| self.is_thread_index(e) || self.is_lane(e);
        let cut = |n: i128| n > 0 && n < 32;
        match (op, b.as_int()) {
            (BinaryOp::And, _) => self.parts(a) || self.parts(b),
            (BinaryOp::Lt | BinaryOp::Ge, Some(n)) => index(a) && cut(n),
            (BinaryOp::Le | BinaryOp::Gt, Some(n)) => index(a) && cut(n + 1),
            (BinaryOp::Eq | BinaryOp::Ne, Some(n)) => {
                let modulo = |e: &Expr| match &e.kind {
                    ExprKind::Binary(BinaryOp::Rem, x, m) => index(x) && m.as_int().is_some_and(|m| m > 1),
                    ExprKind::Binary(BinaryOp::BitAnd, x, m) => {
                        index(x) && m.as_int().is_some_and(|m| m & 31 != 0)
                    }
                    _ => false,
                };
                (index(a) && (0..32).contains(&n)) || modulo(a)
            }
            _ => false,
        }
    }
}
