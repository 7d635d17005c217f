//! What bounds of a quotient or a remainder tell about the dividend, as in kernels that find row and column by `i / w` and `i % w`.

use super::known::{Known, same, strip};
use super::range::{Range, integer, joined};
use super::scope::FunctionScope;
use crate::ir::{BinaryOp, Condition, ConstValue, Expr, ExprKind, Quantity, Scalar};

/// A division of integers of one type.
struct Division<'e> {
    whole: &'e Expr,
    is_remainder: bool,
    x: &'e Expr,
    by: &'e Expr,
    scalar: Scalar,
    /// The divisor, if a launch knows it, and that it is above zero, with what this rests on.
    number: Option<(Quantity, Vec<Condition>)>,
}

impl<'e> Division<'e> {
    fn of(e: &'e Expr, known: &'e Known, scope: &'e FunctionScope) -> Option<Self> {
        let e = scope.latest(e, known);
        let ExprKind::Binary(op, x, by) = &e.kind else { return None };
        let scalar = integer(x)?;
        let is_remainder = match op {
            BinaryOp::Div | BinaryOp::Shr => false,
            BinaryOp::Rem => true,
            _ => return None,
        };
        let number = match (op, by.as_int()) {
            (BinaryOp::Shr, by) => {
                let by = by.filter(|by| (0..i128::from(scalar.bits())).contains(by))?;
                Some((Quantity::Const(1 << by), Vec::new()))
            }
            _ => known_divisor(by, known, scope),
        };
        Some(Self { whole: e, is_remainder, x, by, scalar, number })
    }

    /// The range of the remainder that belongs to a quotient, as far as guards tell of it.
    fn remainder(&self, known: &Known, scope: &FunctionScope) -> Option<Range> {
        let rest = Expr::binary(BinaryOp::Rem, self.x.clone(), self.by.clone());
        let is_told = matches!(self.whole.kind, ExprKind::Binary(BinaryOp::Div, ..))
            && known.ranges().any(|(e, _)| same(e, &rest));
        is_told.then(|| scope.range(&rest, known))
    }
}

/// The divisor, if a launch knows it and that it is above zero.
fn known_divisor(by: &Expr, known: &Known, scope: &FunctionScope) -> Option<(Quantity, Vec<Condition>)> {
    let range = scope.range(by, known);
    let (number, needs) = range.value()?;
    // Nothing is divided by zero.
    let positive = if integer(by)?.is_unsigned() { Vec::new() } else { scope.ensure_least(&range, 1)? };
    Some((number, joined(&needs, &positive)))
}

impl Known {
    /// Learns the range of `x` from the greatest value of `x / n`, `x >> c` or `x % n`.
    pub(super) fn dividend_is(&mut self, e: &Expr, range: &Range, known: &Known, scope: &FunctionScope) {
        match Division::of(e, known, scope) {
            Some(division) if division.is_remainder => self.remainder_is(&division, range, known, scope),
            Some(division) => self.quotient_is(&division, range, known, scope),
            None => {}
        }
    }

    fn quotient_is(&mut self, of: &Division, range: &Range, known: &Known, scope: &FunctionScope) {
        let Division { x, scalar, number: Some((n, of_n)), .. } = of else { return };
        let mut high = range.high.clone().plus(1).product(n.clone()).plus(-1);
        let mut needs = joined(&range.needs, of_n);
        if let Some(rest) = of.remainder(known, scope)
            && let Some(gap) = gap(n, &rest)
        {
            (high, needs) = (high.plus(-gap), joined(&needs, &rest.needs));
        }
        let is_open = |(_, most)| high.as_const().is_some_and(|high| high >= most);
        if !scalar.int_range().is_some_and(is_open) {
            self.at_most(x, Range::at_most(*scalar, high, needs), known, scope);
        }
    }

    fn remainder_is(&mut self, of: &Division, range: &Range, known: &Known, scope: &FunctionScope) {
        let Division { whole, x, scalar, number: Some((n, of_n)), .. } = of else { return };
        let of_x = scope.range(x, known);
        let Some(positive) = scope.ensure_positive(x, &of_x) else { return };
        let needs = [of_n, &positive, &of_x.needs];
        let needs = needs.into_iter().fold(range.needs.clone(), |all, more| joined(&all, more));
        self.learn(whole, Range { low_needs: Vec::new(), ..range.clone() });
        let bounds: Vec<(&Quantity, Option<Quantity>)> =
            of_x.high.bounds().into_iter().map(|most| (most, most.clone().plus(1).over(n))).collect();
        let has_rows = bounds.iter().any(|(_, rows)| rows.is_some());
        for (most, rows) in bounds {
            match (rows, gap(n, range)) {
                // `x` is below `rows * n`. In the last of these rows too, its remainder is at most what it is here.
                (Some(_), Some(gap)) => {
                    let range = Range::at_most(*scalar, most.clone().plus(-gap), needs.clone());
                    self.at_most(x, range, known, scope);
                }
                (Some(rows), None) if range.high.is_telling() && range.high.is_known() => {
                    let high = rows.plus(-1).product(n.clone()).sum(range.high.clone());
                    self.at_most(x, Range::at_most(*scalar, high, needs.clone()), known, scope);
                }
                // A launch may show that the rows are whole. This is a fact about the neighbour alone: what else is known
                // about `x` must not depend on such a launch.
                (None, Some(gap)) if !has_rows => {
                    let rows = most.clone().plus(1).ratio(n.clone()).product(n.clone());
                    let Some(are_whole) = scope.ensure(most.clone(), rows) else { continue };
                    let by = Expr::constant(ConstValue::Int(gap), x.ty.clone());
                    let next = Expr::binary(BinaryOp::Add, (*x).clone(), by);
                    self.learn(&next, Range::at_most(*scalar, most.clone(), joined(&needs, &are_whole)));
                }
                _ => {}
            }
        }
    }

    /// Learns the range of `x` from the least value of `x + c`. If that sum wraps, `x` is far above.
    pub(super) fn part_is_more(&mut self, e: &Expr, range: &Range, known: &Known, scope: &FunctionScope) {
        let sum = strip(e);
        let ExprKind::Binary(BinaryOp::Add, a, b) = &sum.kind else { return };
        for (part, by) in [(a, b), (b, a)] {
            let (Some(by), Some(scalar)) = (by.as_int().filter(|by| *by > 0), integer(part)) else {
                continue;
            };
            if part.ty == sum.ty && Division::of(part, known, scope).is_some() {
                let low = range.low.clone().plus(-by);
                self.at_least(part, Range::at_least(scalar, low, range.low_needs.clone()), known, scope);
            }
        }
    }

    /// Learns the range of `x` from the least value of `x / n`, `x >> c` or `x % n`.
    pub(super) fn dividend_is_more(&mut self, e: &Expr, range: &Range, known: &Known, scope: &FunctionScope) {
        match Division::of(e, known, scope) {
            Some(division) if division.is_remainder => self.remainder_is_more(&division, range, known, scope),
            Some(division) => self.quotient_is_more(&division, range, known, scope),
            None => {}
        }
    }

    fn quotient_is_more(&mut self, of: &Division, range: &Range, known: &Known, scope: &FunctionScope) {
        let Division { x, by, scalar, number, .. } = of;
        if range.low.minimum() < 1 {
            return;
        }
        if let Some((n, of_n)) = number {
            let mut low = range.low.clone().product(n.clone());
            let mut needs = joined(&range.low_needs, of_n);
            if let Some(rest) = of.remainder(known, scope).filter(|rest| rest.low.minimum() > 0) {
                (low, needs) = (low.sum(rest.low), joined(&needs, &rest.low_needs));
            }
            self.at_least(x, Range::at_least(*scalar, low, needs), known, scope);
        }
        if scalar.is_unsigned() && range.low_needs.is_empty() {
            self.order(by, x, false);
        }
    }

    /// An unsigned remainder is never above the number that is divided. A signed one is not if it is above zero.
    fn remainder_is_more(&mut self, of: &Division, range: &Range, known: &Known, scope: &FunctionScope) {
        let Division { whole, x, scalar, number, .. } = of;
        if range.low.minimum() < 1 && !(scalar.is_unsigned() && range.low.is_known()) {
            return;
        }
        self.learn(whole, Range { needs: Vec::new(), ..range.clone() });
        let least = Range::at_least(*scalar, range.low.clone(), range.low_needs.clone());
        self.at_least(x, least, known, scope);
        // If `x` is at least a multiple of `n`, it is at least that and its remainder.
        let of_x = scope.range(x, known);
        if let Some((n, of_n)) = number
            && of_x.low.over(n).is_some()
        {
            let low = of_x.low.sum(range.low.clone());
            let needs = joined(&joined(&of_x.low_needs, &range.low_needs), of_n);
            self.at_least(x, Range::at_least(*scalar, low, needs), known, scope);
        }
    }
}

/// How much less than `n - 1` a remainder of a division by `n` is, if that is a number above zero.
fn gap(n: &Quantity, range: &Range) -> Option<i128> {
    n.clone().plus(-1).sum(range.high.clone().negated()).as_const().filter(|gap| *gap > 0)
}
