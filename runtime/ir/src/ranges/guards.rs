//! What comparisons of differences tell of their operands, and what an inequality tells.

use super::known::{Known, negated, strip};
use super::range::{Range, integer, joined};
use super::scope::FunctionScope;
use crate::ir::{BinaryOp, Condition, Expr, ExprKind, Quantity, Scalar};

impl Known {
    /// Adds what `a != b` tells where one ends where the other begins: that end is not its value.
    pub(super) fn differ(&mut self, a: &Expr, b: &Expr, known: &Known, scope: &FunctionScope) {
        let (of_a, of_b) = (scope.range(a, known), scope.range(b, known));
        for (less, more, below, above) in [(a, b, &of_a, &of_b), (b, a, &of_b, &of_a)] {
            if !below.high.is_below(&above.low.clone().plus(1)) {
                continue;
            }
            let Some(scalar) = integer(less) else { continue };
            let needs = joined(&below.needs, &above.low_needs);
            let most = Range::at_most(scalar, above.high.clone().plus(-1), joined(&needs, &above.needs));
            self.at_most(less, most, known, scope);
            let least = joined(&needs, &below.low_needs);
            let least = Range::at_least(scalar, below.low.clone().plus(1), least);
            self.at_least(more, least, known, scope);
            if needs.is_empty() {
                self.order(less, more, true);
            }
        }
    }

    /// Learns from the least value of `a - b` that `b` is so much less than the greatest `a`.
    pub(super) fn difference_is_more(
        &mut self,
        e: &Expr,
        range: &Range,
        known: &Known,
        scope: &FunctionScope,
    ) {
        let Some((a, b, scalar)) = difference(e, scope) else { return };
        let is_exact = scalar.is_unsigned() && known.is_ordered(b, a);
        let exact = if is_exact { Some(Vec::new()) } else { scope.is_exact_difference(a, b, scalar, known) };
        // A launch knows more of a number than what is left of another.
        let is_known = scope.range(b, known).value().is_some();
        let Some(exact) = exact.filter(|_| range.low.is_telling() && !is_known) else { return };
        let of_a = scope.range(a, known);
        let needs = [&of_a.needs, &range.low_needs].into_iter().fold(exact, |all, more| joined(&all, more));
        let high = of_a.high.sum(range.low.clone().negated());
        self.at_most(b, Range::at_most(scalar, high, needs), known, scope);
        if range.low.minimum() > 0 && range.low_needs.is_empty() && is_exact {
            self.order(b, a, true);
        }
    }

    /// Learns from the greatest value of `a - b` that `a` is at most so much more than the greatest `b`.
    ///
    /// Should the difference of numbers without a sign wrap, `a` is less than `b`.
    pub(super) fn difference_is_less(
        &mut self,
        e: &Expr,
        range: &Range,
        known: &Known,
        scope: &FunctionScope,
    ) {
        let Some((a, b, scalar)) = difference(e, scope) else { return };
        let exact = match scalar.is_unsigned() {
            true => (range.high.minimum() >= 0).then(Vec::new),
            false => scope.is_exact_difference(a, b, scalar, known),
        };
        let is_known = scope.range(a, known).value().is_some();
        let Some(exact) = exact.filter(|_| range.high.is_telling() && !is_known) else { return };
        let of_b = scope.range(b, known);
        let needs = [&of_b.needs, &range.needs].into_iter().fold(exact, |all, more| joined(&all, more));
        self.learn(a, Range::at_most(scalar, of_b.high.sum(range.high.clone()), needs));
    }
}

/// The operands of a difference, and its type.
fn difference<'e>(e: &'e Expr, scope: &'e FunctionScope) -> Option<(&'e Expr, &'e Expr, Scalar)> {
    let e = scope.look(strip(e));
    let ExprKind::Binary(BinaryOp::Sub, a, b) = &e.kind else { return None };
    Some((a, b, integer(e)?))
}

impl Known {
    /// The facts of a false `a && b`, or of a true `a || b`, where one part is known and so the other one decides, or else of either.
    pub(super) fn rest(&self, op: BinaryOp, [a, b]: [&Expr; 2], scope: &FunctionScope) -> Known {
        let outcome = op == BinaryOp::Or;
        for (decided, rest) in [(a, b), (b, a)] {
            if scope.decided(decided, self) == Some(!outcome) {
                return self.implied(rest, outcome, scope);
            }
        }
        self.either([a, b], outcome, scope)
    }
}

impl FunctionScope<'_> {
    /// Whether a comparison of integers holds, if their ranges tell that for every launch.
    fn decided(&self, cond: &Expr, known: &Known) -> Option<bool> {
        let ExprKind::Binary(op, a, b) = &cond.kind else { return None };
        integer(a)?;
        let (a, b) = (self.range(a, known), self.range(b, known));
        let holds = |op: BinaryOp| {
            let (less, more, gap) = match op {
                BinaryOp::Lt => (&a, &b, 1),
                BinaryOp::Le => (&a, &b, 0),
                BinaryOp::Gt => (&b, &a, 1),
                BinaryOp::Ge => (&b, &a, 0),
                _ => return false,
            };
            let ends = less.high.as_const().zip(more.low.as_const());
            let is_sure = less.needs.is_empty() && more.low_needs.is_empty();
            is_sure && ends.is_some_and(|(most, least)| most.saturating_add(gap) <= least)
        };
        match (holds(*op), holds(negated(*op))) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }

    /// The conditions under which `a - b` does not wrap.
    fn is_exact_difference(
        &self,
        a: &Expr,
        b: &Expr,
        scalar: Scalar,
        known: &Known,
    ) -> Option<Vec<Condition>> {
        let (a, b) = (self.range(a, known), self.range(b, known));
        let range = Range {
            low: a.low.sum(b.high.negated()),
            low_needs: joined(&a.low_needs, &b.needs),
            high: a.high.sum(b.low.negated()),
            needs: joined(&a.needs, &b.low_needs),
        };
        Some(self.exact(range, scalar)?.all_needs())
    }

    /// The conditions under which a number is less than another, as guards tell.
    pub(super) fn is_below(&self, less: &Expr, more: &Expr, known: &Known) -> Option<Vec<Condition>> {
        if known.is_less(less, more) {
            return Some(Vec::new());
        }
        let less = strip(less);
        let (_, most) =
            integer(less).and_then(Scalar::int_range).filter(|_| known.is_followed(less, more))?;
        let range = self.range(less, known);
        Some(joined(&self.ensure(range.high, Quantity::Const(most))?, &range.needs))
    }

    /// Returns whether something that is not negative is known to be less than an expression.
    ///
    /// What is less may be a part of the expression, or made of it: each time, less of it is looked at.
    pub(super) fn exceeds_positive(&self, e: &Expr, known: &Known, fuel: usize) -> bool {
        known.below(e).any(|less| {
            let range = self.within(less, known, &mut (fuel / 4));
            range.low.minimum() >= 0 && range.low_needs.is_empty()
        })
    }
}
