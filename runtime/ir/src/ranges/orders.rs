//! The order of numbers: what assignments leave of it, and what follows from two orders.

use std::collections::HashSet;

use super::known::{Known, Order, is_readable, same, strip};
use super::loads::mentions;
use super::range::{Range, integer};
use super::scope::FunctionScope;
use crate::ir::{BinaryOp, Expr, ExprKind, Quantity, ResultRange, Scalar, VarId};

/// Numbers between two others at most through which these are in order.
const MOST_BETWEEN: usize = 3;

impl Known {
    /// The orders of numbers.
    pub fn orders(&self) -> &[Order] {
        &self.orders
    }

    /// Adds orders.
    pub fn learn_orders(&mut self, orders: impl IntoIterator<Item = Order>) {
        self.orders.extend(orders);
    }

    /// Returns whether `a` is known to be at most `b` by way of others.
    pub fn is_ordered_through(&self, a: &Expr, b: &Expr) -> bool {
        self.is_reached(a, b, false, MOST_BETWEEN)
    }

    /// The same of less.
    pub fn is_less_through(&self, a: &Expr, b: &Expr) -> bool {
        self.is_reached(a, b, true, MOST_BETWEEN)
    }

    fn is_reached(&self, a: &Expr, b: &Expr, strictly: bool, between: usize) -> bool {
        let mut above = self.orders.iter().filter(|(less, ..)| same(less, strip(a)));
        let is_direct = if strictly { self.is_less(a, b) } else { self.is_ordered(a, b) };
        is_direct
            || between > 0
                && above.any(|(_, more, is_less)| self.is_reached(more, b, strictly && !is_less, between - 1))
    }

    /// Whether a number that the type of `e` holds is known to be more than `e`: then its successor does not wrap.
    pub(super) fn is_exceeded(&self, e: &Expr) -> bool {
        let most = |e: &Expr| integer(e).and_then(Scalar::int_range).map(|(_, most)| most);
        let exceeds = |(less, more, strictly): &Order| {
            *strictly && same(less, strip(e)) && most(more).is_some_and(|of_more| Some(of_more) <= most(e))
        };
        self.orders.iter().any(exceeds)
    }

    /// The orders after an assignment to a variable, or its declaration, that it takes part in.
    pub fn orders_after(
        &self,
        place: &Expr,
        op: Option<BinaryOp>,
        value: &Expr,
        scope: &FunctionScope,
    ) -> Vec<Order> {
        let ExprKind::Var(var) = place.kind else { return Vec::new() };
        if integer(place).is_none_or(|scalar| scalar.bits() < 32) || scope.untracked.contains(&var) {
            return Vec::new();
        }
        let own = HashSet::from([var]);
        match (op, &value.kind) {
            (Some(op), _) => self.orders_moved((place, &own), op, value, scope),
            (None, ExprKind::Binary(op, a, b)) if same(a, place) => {
                self.orders_moved((place, &own), *op, b, scope)
            }
            _ if mentions(value, &own) => Vec::new(),
            (None, ExprKind::Select(_, a, b)) => self.orders_of_either((place, &own), [a, b], scope),
            (None, _) if let Some((low, high)) = self.ends_of_middle(value, scope) => {
                self.orders_of_middle((place, &own), low, high)
            }
            (None, _) if !is_sum(value) && !is_end(value) || !is_readable(value) => Vec::new(),
            (None, _) => {
                let mut all = vec![(place.clone(), strip(value).clone(), false)];
                all.push((strip(value).clone(), place.clone(), false));
                if let ExprKind::Binary(BinaryOp::Add, a, b) = &value.kind
                    && b.as_int().is_some_and(|n| n > 0)
                    && self.is_exact_sum(a, b, scope)
                {
                    all.push((strip(a).clone(), strip(value).clone(), true));
                    all.push((strip(a).clone(), place.clone(), true));
                }
                all.retain(|(a, b, _)| ![a, b].into_iter().any(|e| mentions(e, &scope.untracked)));
                all
            }
        }
    }

    /// The orders of a number that is at least `low` and less than `high`, also of those to which these have one.
    fn orders_of_middle(
        &self,
        (place, own): (&Expr, &HashSet<VarId>),
        low: &Expr,
        high: &Expr,
    ) -> Vec<Order> {
        let mut all =
            vec![(strip(low).clone(), place.clone(), false), (place.clone(), strip(high).clone(), true)];
        // What is about the variable is about its value before.
        let others =
            self.orders.iter().filter(|(less, more, _)| !mentions(less, own) && !mentions(more, own));
        for (less, more, strictly) in others {
            if same(more, strip(low)) {
                all.push((less.clone(), place.clone(), *strictly));
            }
            if same(less, strip(high)) {
                all.push((place.clone(), more.clone(), true));
            }
        }
        all
    }

    /// `low` and `high` of a number in the middle of them, if that is less than `high` and no sum or difference in it wraps.
    fn ends_of_middle<'e>(&self, value: &'e Expr, scope: &FunctionScope) -> Option<(&'e Expr, &'e Expr)> {
        let value = strip(value);
        let half = |e: &'e Expr| match &e.kind {
            ExprKind::Binary(BinaryOp::Div, of, n) if n.as_int() == Some(2) => Some(&**of),
            ExprKind::Binary(BinaryOp::Shr, of, n) if n.as_int() == Some(1) => Some(&**of),
            _ => None,
        };
        let ordered = |a: &'e Expr, b: &'e Expr| match (self.is_less(a, b), self.is_less(b, a)) {
            (true, _) => Some((a, b)),
            (_, true) => Some((b, a)),
            _ => None,
        };
        match &value.kind {
            ExprKind::Builtin { op, args, .. } if op.facts.result == ResultRange::Middle => match &args[..] {
                [a, b] if integer(a).is_some_and(Scalar::is_unsigned) => ordered(a, b),
                _ => None,
            },
            // The distance of numbers without a sign does not wrap, if they are in order.
            ExprKind::Binary(BinaryOp::Add, low, step) if integer(value).is_some_and(Scalar::is_unsigned) => {
                let ExprKind::Binary(BinaryOp::Sub, high, from) = &strip(half(strip(step))?).kind else {
                    return None;
                };
                (same(strip(from), strip(low)) && self.is_less(low, high)).then_some((&**low, &**high))
            }
            _ => {
                let ExprKind::Binary(BinaryOp::Add, a, b) = &strip(half(value)?).kind else { return None };
                ordered(a, b).filter(|_| self.is_exact_sum(a, b, scope))
            }
        }
    }

    /// The orders of a variable that is given either of two values.
    fn orders_of_either(
        &self,
        (place, own): (&Expr, &HashSet<VarId>),
        values: [&Expr; 2],
        scope: &FunctionScope,
    ) -> Vec<Order> {
        let is_own = |(less, more, _): &&Order| same(less, place) || same(more, place);
        let mut before = self.clone();
        before.orders.retain(|(less, more, _)| !mentions(less, own) && !mentions(more, own));
        let of = values.map(|value| before.orders_after(place, None, value, scope));
        // What is not about the variable holds in both cases.
        let always = of.iter().flatten().filter(|order| !is_own(order)).cloned();
        before.orders.extend(always.collect::<Vec<_>>());
        let cases = of.map(|orders| {
            let mut case = before.clone();
            case.learn_orders(orders);
            case
        });
        let in_both = |case: &Known, other: &Known| {
            let own = case.orders.iter().filter(is_own);
            let both = own.filter(|(less, more, _)| other.is_ordered_through(less, more));
            both.map(|(less, more, _)| (less.clone(), more.clone(), false)).collect::<Vec<Order>>()
        };
        [in_both(&cases[0], &cases[1]), in_both(&cases[1], &cases[0])].concat()
    }

    /// The orders of a variable to which a number is added, or from which one is subtracted.
    fn orders_moved(
        &self,
        (place, own): (&Expr, &HashSet<VarId>),
        op: BinaryOp,
        by: &Expr,
        scope: &FunctionScope,
    ) -> Vec<Order> {
        let range = scope.range(by, self);
        if mentions(by, own) || !range.low_needs.is_empty() || range.low.minimum() < 0 {
            return Vec::new();
        }
        let (moves, is_one) = (range.low.minimum() > 0, by.as_int() == Some(1));
        let after = |(less, more, strictly): &Order| {
            let (of_less, of_more) = (mentions(less, own), mentions(more, own));
            let leaves = match (op, of_less, of_more) {
                (BinaryOp::Add, false, true) | (BinaryOp::Sub, true, false) => true,
                (BinaryOp::Add, true, false) | (BinaryOp::Sub, false, true) => false,
                _ => return None,
            };
            let is_place = same(if of_less { less } else { more }, place);
            match (leaves, is_place) {
                // Away from the other one.
                (true, true) => Some((less.clone(), more.clone(), *strictly || moves)),
                // One step towards it.
                (false, true) => (*strictly && is_one).then(|| (less.clone(), more.clone(), false)),
                // What was above by a constant is the variable now, or below it.
                (_, false) => {
                    let side =
                        |e: &Expr| if mentions(e, own) { stepped(e, place, by) } else { Some(e.clone()) };
                    let is_sum = op == BinaryOp::Add;
                    is_sum.then(|| Some((side(less)?, side(more)?, *strictly))).flatten()
                }
            }
        };
        let is_exact = match op {
            BinaryOp::Add => self.is_exact_sum(place, by, scope),
            BinaryOp::Sub => self.is_exact_difference(place, by, scope),
            _ => false,
        };
        if is_exact { self.orders.iter().filter_map(after).collect() } else { Vec::new() }
    }

    /// Whether a sum of two numbers that are not negative does not wrap in any launch.
    pub fn is_exact_sum(&self, a: &Expr, b: &Expr, scope: &FunctionScope) -> bool {
        let Some((_, most)) = integer(a).and_then(Scalar::int_range) else { return false };
        let (of_a, of_b) = (scope.range(a, self), scope.range(b, self));
        let is_positive = |range: &Range| range.low_needs.is_empty() && range.low.minimum() >= 0;
        let is_next = || b.as_int() == Some(1) && self.is_exceeded(a);
        let fits = || {
            let needs = scope.ensure(of_a.high.clone().sum(of_b.high.clone()), Quantity::Const(most + 1));
            of_a.needs.is_empty() && of_b.needs.is_empty() && needs.is_some_and(|needs| needs.is_empty())
        };
        is_positive(&of_a) && is_positive(&of_b) && (is_next() || fits())
    }

    /// Whether a difference of numbers that are not negative is not negative in any launch.
    fn is_exact_difference(&self, a: &Expr, b: &Expr, scope: &FunctionScope) -> bool {
        let (of_a, of_b) = (scope.range(a, self), scope.range(b, self));
        let by_ranges = || {
            scope.ensure(of_b.high.clone(), of_a.low.clone().plus(1)).is_some_and(|needs| needs.is_empty())
        };
        let is_sure = of_b.needs.is_empty() && of_a.low_needs.is_empty() && of_b.low_needs.is_empty();
        is_sure && of_b.low.minimum() >= 0 && (self.is_ordered(b, a) || by_ranges())
    }
}

/// `place + n`, after `n` was added to the variable: the variable.
fn stepped(e: &Expr, place: &Expr, by: &Expr) -> Option<Expr> {
    let ExprKind::Binary(BinaryOp::Add, of, n) = &e.kind else { return None };
    (same(of, place) && same(n, by)).then(|| place.clone())
}

/// Whether an expression is the lesser or the greater of two such sums, or what is left of one, as the ends are between which a search
/// begins.
fn is_end(e: &Expr) -> bool {
    let is_kind =
        |result| matches!(result, ResultRange::Least | ResultRange::Greatest | ResultRange::Remaining);
    match &strip(e).kind {
        ExprKind::Builtin { op, args, .. } => is_kind(op.facts.result) && args.iter().all(is_sum),
        _ => false,
    }
}

/// Whether an expression is made of variables, lengths and constants by addition and subtraction.
fn is_sum(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::Len(_) => integer(e).is_some(),
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => is_sum(a) && is_sum(b),
        ExprKind::Cast(inner) => !std::ptr::eq(strip(e), e) && is_sum(inner),
        _ => false,
    }
}
