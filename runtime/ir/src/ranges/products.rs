//! Pairs of variables whose product is bounded: one is doubled where the other is halved, as the stride of a tree and the number of
//! its threads.

use super::known::{Known, same, strip};
use super::loads::mentions;
use super::range::{Range, integer, joined};
use super::scope::FunctionScope;
use crate::ir::{BinaryOp, Condition, Expr, ExprKind, Quantity, Scalar};

/// The factors of a bound stay below this number.
const MOST_TIMES: i128 = 1 << 32;

/// Neither of two variables is negative, and their product is at most `most * times / over`, a fraction.
#[derive(Clone)]
pub(crate) struct Product {
    pub factors: [Expr; 2],
    pub most: Quantity,
    pub times: i128,
    pub over: i128,
    pub needs: Vec<Condition>,
}

impl Product {
    /// The greatest value of the product times a number.
    fn most(&self, times: i128) -> Quantity {
        self.most.clone().product(Quantity::Const(self.times * times)).quotient(self.over)
    }

    /// The other factor, if an expression is one of them.
    fn partner(&self, e: &Expr) -> Option<&Expr> {
        let [a, b] = &self.factors;
        if same(a, strip(e)) { Some(b) } else { same(b, strip(e)).then_some(a) }
    }

    pub(super) fn mentions(&self, vars: &std::collections::HashSet<crate::ir::VarId>) -> bool {
        self.factors.iter().any(|e| mentions(e, vars))
    }
}

/// The variable that a statement multiplies or divides by a constant above zero, if it does; whether it multiplies.
pub(crate) fn scaled(place: &Expr, op: Option<BinaryOp>, value: &Expr) -> Option<(bool, i128)> {
    let (op, by) = match (op, &value.kind) {
        (Some(op), _) => (op, value),
        (None, ExprKind::Binary(op, of, by)) if same(of, place) => (*op, &**by),
        _ => return None,
    };
    let (by, bits) = (by.as_int()?, i128::from(integer(place)?.bits()));
    match op {
        BinaryOp::Mul | BinaryOp::Div if by > 0 => Some((op == BinaryOp::Mul, by)),
        BinaryOp::Shl | BinaryOp::Shr if (0..bits.min(32)).contains(&by) => {
            Some((op == BinaryOp::Shl, 1 << by))
        }
        _ => None,
    }
}

impl Known {
    /// The products after a statement that assigns one of their factors.
    ///
    /// A factor without a sign that wraps is only less; one with a sign must not wrap.
    pub fn products_after(
        &self,
        place: &Expr,
        op: Option<BinaryOp>,
        value: &Expr,
        scope: &FunctionScope,
    ) -> Vec<Product> {
        let own = |product: &&Product| product.partner(place).is_some();
        let after = |product: &Product| {
            let (grows, by) = scaled(place, op, value)?;
            let mut product = product.clone();
            if !grows {
                product.over = product.over.checked_mul(by).filter(|over| *over < MOST_TIMES)?;
                return Some(product);
            }
            let scalar = integer(place)?;
            if scalar.is_signed() {
                let range = scope.range(place, self);
                let high = range.high.product(Quantity::Const(by));
                let fits = scope.ensure(high, Quantity::Const(scalar.int_range()?.1 + 1))?;
                product.needs = joined(&joined(&product.needs, &range.needs), &fits);
            }
            product.times = product.times.checked_mul(by).filter(|times| *times < MOST_TIMES)?;
            Some(product)
        };
        self.products.iter().filter(own).filter_map(after).collect()
    }

    /// The greatest value of a factor, if the other one is above zero.
    pub(super) fn factor(&self, e: &Expr) -> Option<(Quantity, Vec<Condition>)> {
        self.products.iter().find_map(|product| {
            let partner = product.partner(e)?;
            let positive = self.ranges().find(|(of, range)| same(of, partner) && range.low.minimum() >= 1)?;
            Some((product.most(1), joined(&product.needs, &positive.1.low_needs)))
        })
    }
}

impl FunctionScope<'_> {
    /// The range of `stride * (2 * t + 2)`, where `t` is less than what is bounded together with the stride.
    pub(super) fn bounded_product(
        &self,
        (a, b): (&Expr, &Expr),
        scalar: Scalar,
        known: &Known,
        fuel: &mut usize,
    ) -> Option<Range> {
        let pairs: [(&Expr, &Expr); 2] = [(a, b), (b, a)];
        pairs.into_iter().find_map(|(factor, line)| {
            let product = known.products.iter().find(|product| product.partner(factor).is_some())?;
            let partner = product.partner(factor)?;
            let (x, times, offset) = line_of(line)?;
            // A number below the partner is at most one less.
            let allowed = if known.is_less(x, partner) { times } else { 0 };
            let is_below = allowed > 0 || known.is_ordered(x, partner);
            if !is_below || offset > allowed {
                return None;
            }
            let of_x = self.within(x, known, fuel);
            // Without a sign, what wraps is only less.
            let exact = match integer(x)? {
                own if own.is_unsigned() => Vec::new(),
                own => self.exact(of_x.on_line(times, offset), own)?.all_needs(),
            };
            let line = self.within(line, known, fuel);
            let positive = if scalar.is_unsigned() { Vec::new() } else { self.ensure_least(&line, 0)? };
            let most = product.most(times);
            let fits = self.ensure(most.clone(), Quantity::Const(scalar.int_range()?.1 + 1))?;
            let needs = [&line.low_needs, &exact, &positive, &fits]
                .into_iter()
                .fold(product.needs.clone(), |all, more| joined(&all, more));
            Some(Range::new(Quantity::Const(0), most).needing(&needs))
        })
    }
}

/// `x`, `c` and `d` of `c * x + d`, with a positive `c`.
fn line_of(e: &Expr) -> Option<(&Expr, i128, i128)> {
    let e = strip(e);
    let ExprKind::Binary(op, a, b) = &e.kind else { return Some((e, 1, 0)) };
    let (part, by) = match (a.as_int(), b.as_int()) {
        (_, Some(by)) => (a, by),
        (Some(by), _) if matches!(op, BinaryOp::Add | BinaryOp::Mul) => (b, by),
        _ => return Some((e, 1, 0)),
    };
    let (x, times, offset) = line_of(part)?;
    let is_small = by.abs() < MOST_TIMES && times < MOST_TIMES && offset.abs() < MOST_TIMES;
    match op {
        BinaryOp::Add if is_small => Some((x, times, offset + by)),
        BinaryOp::Mul if is_small && by > 0 => Some((x, times * by, offset * by)),
        BinaryOp::Shl if is_small && (0..32).contains(&by) => Some((x, times << by, offset << by)),
        _ => Some((e, 1, 0)),
    }
}
