//! The number of an iterator's items, and the item at a position, in arithmetic that overflows for no range.

use super::Recorder;
use super::iter::{number, select};
use crate::ir::{BinaryOp, Expr, Scalar, Type};

impl Recorder {
    /// The length of a range that is not empty; if it exceeds a `u64`, one less.
    pub(super) fn distance(&mut self, start: &Expr, end: &Expr, inclusive: bool) -> Expr {
        if let (Some(start), Some(end)) = (start.as_int(), end.as_int()) {
            return number((end - start + i128::from(inclusive)).min(u64::MAX.into()));
        }
        let length = match is_plain(start) {
            true => self.between(start, end, Type::U64),
            false if is_widest(&start.ty) => {
                let (start, end) = (self.biased(start), self.biased(end));
                self.binary(BinaryOp::Sub, end, start)
            }
            false => {
                let length = self.between(start, end, Type::Scalar(Scalar::I64));
                self.cast(length, Type::U64)
            }
        };
        if !inclusive {
            return length;
        }
        let one_more = if is_widest(&start.ty) && start.as_int().is_none_or(|start| start <= 0) {
            let fits = self.binary(BinaryOp::Lt, length.clone(), number(u64::MAX.into()));
            self.cast(fits, Type::U64)
        } else {
            number(1)
        };
        self.binary(BinaryOp::Add, length, one_more)
    }

    /// `end - start` in a type that holds both.
    fn between(&mut self, start: &Expr, end: &Expr, ty: Type) -> Expr {
        let [end, start] = [end, start].map(|bound| self.cast(bound.clone(), ty.clone()));
        self.binary(BinaryOp::Sub, end, start)
    }

    /// A signed number of 64 bits, with the least at zero: differences of such numbers do not overflow.
    fn biased(&mut self, value: &Expr) -> Expr {
        let value = self.cast(value.clone(), Type::U64);
        self.binary(BinaryOp::BitXor, value, number(1 << 63))
    }

    /// The number that is `k` after or before another, of a range that holds both.
    pub(super) fn offset(&mut self, op: BinaryOp, base: Expr, k: Expr) -> Expr {
        let ty = base.ty.clone();
        if ty.scalar().is_some_and(Scalar::is_unsigned) || op == BinaryOp::Add && is_plain(&base) {
            let k = self.cast(k, ty);
            return if base.as_int() == Some(0) && op == BinaryOp::Add {
                k
            } else {
                self.binary(op, base, k)
            };
        }
        if is_widest(&ty) {
            let base = self.biased(&base);
            let moved = self.binary(op, base, k);
            let moved = self.binary(BinaryOp::BitXor, moved, number(1 << 63));
            return self.cast(moved, ty);
        }
        let (base, k) = (self.cast(base, Type::Scalar(Scalar::I64)), self.cast(k, Type::Scalar(Scalar::I64)));
        let moved = self.binary(op, base, k);
        self.cast(moved, ty)
    }

    /// The number of steps of two iterators, one after the other; if it exceeds a `u64`, the largest.
    pub(super) fn sum_of_counts(&mut self, a: Expr, b: Expr, long: bool) -> Expr {
        let most = i128::from(u64::MAX);
        if let (Some(a), Some(b)) = (a.as_int(), b.as_int()) {
            return number((a + b).min(most));
        }
        let sum = self.binary(BinaryOp::Add, a.clone(), b.clone());
        if !long {
            return self.simple(sum);
        }
        let most = number(most);
        let room = self.binary(BinaryOp::Sub, most.clone(), b);
        let fits = self.binary(BinaryOp::Le, a, room);
        self.simple(select(fits, sum, most))
    }

    /// The number of every `n`-th step among `count` steps.
    ///
    /// The sum of two counts may overflow where one is large: there the remainder is asked for.
    pub(super) fn steps(&mut self, count: Expr, n: &Expr, long: bool) -> Expr {
        if let (Some(count), Some(n)) = (count.as_int(), n.as_int().filter(|n| *n > 0)) {
            return number((count + n - 1) / n);
        }
        if long || !is_small(n) {
            let whole = self.binary(BinaryOp::Div, count.clone(), n.clone());
            let rest = self.binary(BinaryOp::Rem, count, n.clone());
            let rest = self.binary(BinaryOp::Ne, rest, number(0));
            let rest = self.cast(rest, Type::U64);
            let steps = self.binary(BinaryOp::Add, whole, rest);
            return self.simple(steps);
        }
        let more = self.binary(BinaryOp::Sub, n.clone(), number(1));
        let padded = self.binary(BinaryOp::Add, count, more);
        let steps = self.binary(BinaryOp::Div, padded, n.clone());
        self.simple(steps)
    }

    /// Steps of `start..=end` by `n`, with the last one that the count of all numbers of a type lacks.
    pub(super) fn with_last(&mut self, steps: Expr, [start, end]: &[Expr; 2], n: &Expr) -> Expr {
        let lacks = |n: i128| n > 1 && i128::from(u64::MAX) % n == 0;
        if !is_widest(&start.ty) || n.as_int().is_some_and(|n| !lacks(n)) {
            return steps;
        }
        let [start, end] =
            [start, end].map(|bound| match bound.ty.scalar().is_some_and(Scalar::is_unsigned) {
                true => self.cast(bound.clone(), Type::U64),
                false => self.biased(bound),
            });
        let mut more = self.binary(BinaryOp::Eq, start, number(0));
        let mut and = |r: &mut Self, op, a, b| {
            let holds = r.binary(op, a, number(b));
            more = r.binary(BinaryOp::BitAnd, more.clone(), holds);
        };
        and(self, BinaryOp::Eq, end, u64::MAX.into());
        if n.as_int().is_none() {
            let rest = self.binary(BinaryOp::Rem, number(u64::MAX.into()), n.clone());
            and(self, BinaryOp::Eq, rest, 0);
            and(self, BinaryOp::Gt, n.clone(), 1);
        }
        if more.as_bool() == Some(false) {
            return steps;
        }
        let more = self.cast(more, Type::U64);
        let steps = self.binary(BinaryOp::Add, steps, more);
        self.simple(steps)
    }
}

/// Returns whether numbers of a type have 64 bits.
pub(super) fn is_widest(ty: &Type) -> bool {
    ty.scalar().is_some_and(|scalar| scalar.bits() == 64)
}

/// Returns whether a count is so small that its sum with the length of any slice is a number.
pub(super) fn is_small(count: &Expr) -> bool {
    count.as_int().is_some_and(|n| n < 1 << 32)
}

/// Returns whether counting from a number stays in its type: it passes no signed number below zero.
fn is_plain(base: &Expr) -> bool {
    base.ty.scalar().is_some_and(Scalar::is_unsigned) || base.as_int().is_some_and(|base| base >= 0)
}
