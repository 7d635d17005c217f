//! What the ends of a quotient or a remainder tell of the number that is divided, as flattened grids ask: `i % w`, `i / w`.

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
        let e = known.alias(strip(e)).map_or_else(|| scope.look(e), strip);
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
        let rest = binary(BinaryOp::Rem, self.x, self.by);
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
        let Some(division) = Division::of(e, known, scope) else { return };
        let Division { is_remainder, x, scalar, number: Some((n, of_n)), .. } = &division else { return };
        let needs = joined(&range.needs, of_n);
        if !is_remainder {
            let rest = division.remainder(known, scope);
            let gap = rest.as_ref().and_then(|rest| gap(n, rest));
            let needs =
                rest.filter(|_| gap.is_some()).map_or(needs.clone(), |rest| joined(&needs, &rest.needs));
            let high = range.high.clone().plus(1).product(n.clone()).plus(-1 - gap.unwrap_or(0));
            if scalar.int_range().is_some_and(|(_, most)| high.as_const().is_some_and(|high| high >= most)) {
                return;
            }
            return self.at_most(x, Range::at_most(*scalar, high, needs), known, scope);
        }
        let of_x = scope.range(x, known);
        let Some(positive) = scope.ensure_positive(x, &of_x) else { return };
        let needs = joined(&joined(&needs, &positive), &of_x.needs);
        self.learn(division.whole, Range { low_needs: Vec::new(), ..range.clone() });
        let bounds = of_x.high.bounds();
        let is_whole = bounds.iter().any(|most| (*most).clone().plus(1).over(n).is_some());
        for most in bounds {
            let count = most.clone().plus(1);
            match (count.over(n), gap(n, range)) {
                // Of all rows of `n`, also the last one ends as far from its end as the remainder is.
                (Some(_), Some(gap)) => {
                    let range = Range::at_most(*scalar, most.clone().plus(-gap), needs.clone());
                    self.at_most(x, range, known, scope);
                }
                (Some(rows), None) if range.high.is_telling() && range.high.is_known() => {
                    let high = rows.plus(-1).product(n.clone()).sum(range.high.clone());
                    self.at_most(x, Range::at_most(*scalar, high, needs.clone()), known, scope);
                }
                (None, Some(gap)) if !is_whole => {
                    let whole = count.ratio(n.clone()).product(n.clone());
                    let Some(whole) = scope.ensure(most.clone(), whole) else { continue };
                    // What rests on this besides is said of the neighbour alone: the number itself is below its end anyway.
                    let by = Expr::constant(ConstValue::Int(gap), x.ty.clone());
                    let next = binary(BinaryOp::Add, x, &by);
                    self.learn(&next, Range::at_most(*scalar, most.clone(), joined(&needs, &whole)));
                }
                _ => {}
            }
        }
    }

    /// Adds that an expression is at least a number, and what that says of what it is made of.
    pub(super) fn at_least(&mut self, e: &Expr, range: Range, known: &Known, scope: &FunctionScope) {
        self.part_is_more(e, &range, known, scope);
        self.dividend_is_more(e, &range, known, scope);
        self.learn(e, range);
    }

    /// Learns the range of `x` from the least value of `x + c`. If that sum wraps, `x` is far above.
    fn part_is_more(&mut self, e: &Expr, range: &Range, known: &Known, scope: &FunctionScope) {
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
    fn dividend_is_more(&mut self, e: &Expr, range: &Range, known: &Known, scope: &FunctionScope) {
        let Some(division) = Division::of(e, known, scope) else { return };
        let Division { is_remainder, x, by, scalar, number, .. } = &division;
        // No remainder of numbers without a sign is above the number; others tell nothing unless they are above zero.
        let tells = *is_remainder && scalar.is_unsigned() && range.low.is_known();
        if range.low.minimum() < 1 && !tells {
            return;
        }
        if *is_remainder {
            self.learn(division.whole, Range { needs: Vec::new(), ..range.clone() });
            let least = Range::at_least(*scalar, range.low.clone(), range.low_needs.clone());
            self.at_least(x, least, known, scope);
            // From a multiple of `n` on, the number is as far above it as the remainder.
            let of_x = scope.range(x, known);
            if let Some((n, of_n)) = number
                && of_x.low.over(n).is_some()
            {
                let low = of_x.low.sum(range.low.clone());
                let needs = joined(&joined(&of_x.low_needs, &range.low_needs), of_n);
                self.at_least(x, Range::at_least(*scalar, low, needs), known, scope);
            }
            return;
        }
        if let Some((n, of_n)) = number {
            let least = range.low.clone().product(n.clone());
            let needs = joined(&range.low_needs, of_n);
            let rest = division.remainder(known, scope).filter(|rest| rest.low.minimum() > 0);
            let (low, needs) = match rest {
                Some(rest) => (least.sum(rest.low), joined(&needs, &rest.low_needs)),
                None => (least, needs),
            };
            self.at_least(x, Range::at_least(*scalar, low, needs), known, scope);
        }
        if scalar.is_unsigned() && range.low_needs.is_empty() {
            self.order_or_same(by, x);
        }
    }
}

/// What a remainder of a division by `n` is at most less than `n - 1`, if that is a number above zero.
fn gap(n: &Quantity, range: &Range) -> Option<i128> {
    n.clone().plus(-1).sum(range.high.clone().negated()).as_const().filter(|gap| *gap > 0)
}

fn binary(op: BinaryOp, a: &Expr, b: &Expr) -> Expr {
    Expr { kind: ExprKind::Binary(op, a.clone().into(), b.clone().into()), ty: a.ty.clone() }
}
