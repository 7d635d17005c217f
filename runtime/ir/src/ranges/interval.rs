//! Intervals of plain numbers: what an expression never leaves, whatever the launch.

use super::known::Known;
use super::range::{Range, integer};
use super::scope::FunctionScope;
use crate::ir::{BinaryOp, Expr, RangeLoop, Scalar, VarId};

/// The least and the greatest value of an expression.
pub(crate) type Interval = (i128, i128);

impl FunctionScope<'_> {
    /// The interval of an integer without its guards; all of its type, if no more is known.
    pub fn interval(&self, e: &Expr) -> Option<Interval> {
        let (least, most) = integer(e)?.int_range()?;
        let range = self.range(e, &Known::default());
        Some((range.low.minimum().max(least), range.high.most().min(most)))
    }

    /// Returns whether `a op b` is computed without overflow.
    pub fn cannot_overflow(&self, op: BinaryOp, a: &Expr, b: &Expr, scalar: Scalar) -> bool {
        let exact = || exactly(op, self.interval(a)?, self.interval(b)?);
        exact().is_some_and(|exact| fits(exact, scalar))
    }

    /// Remembers the values of the counter of a loop over a range, if it is never assigned.
    pub fn count(&mut self, range: &RangeLoop) {
        let Some(((low, _), (_, end))) = self.interval(&range.start).zip(self.interval(&range.end)) else {
            return;
        };
        let last = if range.inclusive { end } else { end - 1 };
        if low <= last {
            self.set(range.var, Range::numbers(low, last));
        }
    }

    /// Remembers where the values of a variable lie that is never assigned.
    fn set(&mut self, var: VarId, range: Range) {
        if !self.is_mutable(var) {
            self.ranges.insert(var, range);
        }
    }
}

/// The interval of `a op b` in exact arithmetic.
pub(super) fn exactly(op: BinaryOp, (a, b): Interval, (c, d): Interval) -> Option<Interval> {
    match op {
        BinaryOp::Add => Some((a.checked_add(c)?, b.checked_add(d)?)),
        BinaryOp::Sub => Some((a.checked_sub(d)?, b.checked_sub(c)?)),
        BinaryOp::Mul => {
            let ends = [a.checked_mul(c)?, a.checked_mul(d)?, b.checked_mul(c)?, b.checked_mul(d)?];
            Some((*ends.iter().min()?, *ends.iter().max()?))
        }
        BinaryOp::Div if a >= 0 && c > 0 => Some((a / d, b / c)),
        BinaryOp::Rem if a >= 0 && c > 0 => Some((0, b.min(d - 1))),
        BinaryOp::BitAnd if a >= 0 && c >= 0 => Some((0, b.min(d))),
        _ => None,
    }
}

/// Returns whether a type holds all of an interval.
pub(super) fn fits((low, high): Interval, scalar: Scalar) -> bool {
    scalar.int_range().is_some_and(|(least, most)| least <= low && high <= most)
}
