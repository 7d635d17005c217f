//! Conditions as jumps: `&&`, `||` and `!` compute no value where one is only asked.

use super::operator::scalar_of;
use super::{Label, Lower, Result};
use crate::interpreter::numeric;
use crate::interpreter::program::{Op, Slot, TestFn};
use crate::ir::{BinaryOp, Expr, ExprKind, Type, UnaryOp};

impl<'m> Lower<'m> {
    /// Jumps to `label` if the condition is `sense`, else goes on.
    pub(super) fn jump_if(&mut self, cond: &'m Expr, label: Label, sense: bool) -> Result<()> {
        if let Some(known) = cond.as_bool() {
            if known == sense {
                self.jump(label);
            }
            return Ok(());
        }
        match &cond.kind {
            ExprKind::Unary(UnaryOp::Not, inner) if inner.ty == Type::BOOL => {
                self.jump_if(inner, label, !sense)
            }
            ExprKind::Binary(BinaryOp::And, a, b) => self.both(a, b, label, sense, false),
            ExprKind::Binary(BinaryOp::Or, a, b) => self.both(a, b, label, sense, true),
            ExprKind::Binary(op, a, b) if let Some(f) = self.test(*op, a) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                self.push(Op::JumpBy { f, a, b, sense, to: label.0 });
                Ok(())
            }
            _ => {
                let condition = self.value(cond)?;
                self.branch_event(condition, false);
                let to = label.0;
                self.push(if sense {
                    Op::JumpIf { condition, to }
                } else {
                    Op::JumpUnless { condition, to }
                });
                Ok(())
            }
        }
    }

    /// The comparison that decides a jump, unless an observer wants to hear of either.
    fn test(&self, op: BinaryOp, a: &Expr) -> Option<TestFn> {
        let watch = self.options.watch;
        if watch.branches || watch.work { None } else { numeric::test(op, scalar_of(&a.ty)?) }
    }

    /// `a && b`, or `a || b`, which `a` decides if it is `decides`.
    fn both(&mut self, a: &'m Expr, b: &'m Expr, label: Label, sense: bool, decides: bool) -> Result<()> {
        if sense == decides {
            self.jump_if(a, label, sense)?;
            return self.jump_if(b, label, sense);
        }
        let past = self.label();
        self.jump_if(a, past, decides)?;
        self.jump_if(b, label, sense)?;
        self.here(past);
        Ok(())
    }

    /// A lazy condition as a value.
    pub(super) fn lazy(&mut self, cond: &'m Expr, to: Slot) -> Result<()> {
        let (otherwise, end) = (self.label(), self.label());
        let [no, yes] = [0u8, 1].map(|bit| self.constant(&[bit], 1));
        self.jump_if(cond, otherwise, false)?;
        self.copy(to, yes, 1);
        self.jump(end);
        self.here(otherwise);
        self.copy(to, no, 1);
        self.here(end);
        Ok(())
    }

    /// `if c { a } else { b }`
    pub(super) fn select(&mut self, c: &'m Expr, a: &'m Expr, b: &'m Expr, to: Slot) -> Result<()> {
        let (otherwise, end) = (self.label(), self.label());
        self.jump_if(c, otherwise, false)?;
        let checks = self.options.checks;
        // The recorder counts a range of signed integers in 64 bits, where the difference is what it wraps to.
        self.options.checks.overflow &= !is_count(c, a, b);
        let then = self.value_to(a, to);
        self.options.checks = checks;
        then?;
        self.jump(end);
        self.here(otherwise);
        self.value_to(b, to)?;
        self.here(end);
        Ok(())
    }
}

/// Returns whether this is `if start < end { end as u64 - start as u64 } else { 0 }`, of signed integers.
fn is_count(c: &Expr, a: &Expr, b: &Expr) -> bool {
    let ExprKind::Binary(BinaryOp::Lt | BinaryOp::Le, start, _) = &c.kind else { return false };
    let signed = start.ty.scalar().is_some_and(|s| s.is_signed());
    signed && b.as_int() == Some(0) && a.ty == Type::U64
}
