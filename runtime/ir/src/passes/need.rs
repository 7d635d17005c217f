//! The conditions of a launch under which an index or a range is in bounds.

use super::elide::Walk;
use crate::ir::{BinaryOp, Condition, Expr, ExprKind, Quantity, ResultRange, Scalar, Type};
use crate::limits;
use crate::ranges::{Known, Range, axes, integer, joined};

impl Walk<'_> {
    /// The conditions under which an index or a range is in bounds; `None` if there are none.
    pub(super) fn needs_of(&self, e: &Expr) -> Option<Vec<Condition>> {
        match &e.kind {
            ExprKind::Index { base, index, .. } => match base.ty.peeled() {
                Type::View { rank, .. } if *rank > 1 => self.needs_of_axes(base, index, *rank),
                _ => self.needs(base, index),
            },
            ExprKind::SubSlice { base, start: None, end: None, .. } => self.needs_of_whole(base, &e.ty),
            ExprKind::SubSlice { base, start, end, .. } => {
                self.needs_of_range(base, start.as_deref(), end.as_deref())
            }
            _ => None,
        }
    }

    /// The conditions under which an assertion holds: that a number is not zero, or is below another one, or no more than it; `None` if
    /// there are none.
    pub(super) fn needs_of_assertion(&self, cond: &Expr) -> Option<Vec<Condition>> {
        let ExprKind::Binary(op, a, b) = &cond.kind else { return None };
        integer(a).filter(|_| !cond.has_effect())?;
        match op {
            BinaryOp::Ne if b.as_int() == Some(0) => {
                self.scope.ensure_least(&self.scope.range(a, &self.known), 1)
            }
            BinaryOp::Lt => {
                let [a, b] = [a, b].map(|e| self.scope.range(e, &self.known));
                Some([self.scope.ensure(a.high, b.low)?, a.needs, b.low_needs].concat())
            }
            BinaryOp::Le => self.in_order(a, b, &self.known),
            _ => None,
        }
    }

    /// The conditions of a launch under which an index is in bounds; `None` if there are none.
    fn needs(&self, base: &Expr, index: &Expr) -> Option<Vec<Condition>> {
        integer(index)?;
        let mut range = self.scope.range(index, &self.known);
        range.needs = joined(&range.needs, &self.scope.ensure_positive(index, &range)?);
        self.needs_of_number(base, Some(index), range, false)
    }

    /// The same as [`Walk::needs`] for a view with an index for each axis.
    fn needs_of_axes(&self, view: &Expr, index: &Expr, rank: usize) -> Option<Vec<Condition>> {
        let ExprKind::Tuple(parts) = &index.kind else { return None };
        let mut needs = Vec::new();
        for (part, axis) in parts.iter().zip(axes(rank)) {
            integer(part)?;
            let range = self.scope.range(part, &self.known);
            let extent = self.scope.axis_extent(view, axis)?;
            needs.extend(self.scope.ensure_positive(part, &range)?);
            needs.extend(self.scope.ensure(range.high, extent)?);
            needs.extend(range.needs);
        }
        Some(needs)
    }

    /// The conditions under which the bounds of a range are ones of `base`, in order.
    fn needs_of_range(
        &self,
        base: &Expr,
        start: Option<&Expr>,
        end: Option<&Expr>,
    ) -> Option<Vec<Condition>> {
        let range = |e: &Expr| {
            let range = self.scope.range(e, &self.known);
            let positive = self.scope.ensure_positive(e, &range)?;
            Some(Range { needs: joined(&range.needs, &positive), ..range })
        };
        let within = |range: Range| self.needs_of_number(base, None, range, true);
        match (start, end) {
            (None, None) => Some(Vec::new()),
            (Some(last), None) | (None, Some(last)) => {
                self.needs_of_number(base, Some(last), range(last)?, true)
            }
            (Some(start), Some(end)) => {
                let ordered = self.are_in_order(start, end, &self.known, true)?;
                Some([ordered, range(start)?.needs, within(range(end)?)?].concat())
            }
        }
    }

    /// The conditions under which a number is less than the length of `base`, or with `or_same` no more than it. `at` is the number itself.
    fn needs_of_number(
        &self,
        base: &Expr,
        at: Option<&Expr>,
        number: Range,
        or_same: bool,
    ) -> Option<Vec<Condition>> {
        let length = self.length(base);
        let past = length.low.plus(or_same.into());
        if number.high.is_below(&past) {
            return Some(joined(&length.low_needs, &number.needs));
        }
        if let Some(len) = self.scope.len_var(base) {
            if let Some(at) = at.filter(|at| self.is_within(at, &len, or_same)) {
                return self.scope.ensure_positive(at, &number);
            }
            let needs = self.scope.ensure(number.high, past.without(&|_| true, false))?;
            return Some([needs, length.low_needs, number.needs].concat());
        }
        self.scope.inside(base, at, number, or_same, &self.known)
    }

    /// Whether a number is known to be less than a length that changes, or with `or_same` no more than it.
    fn is_within(&self, at: &Expr, len: &Expr, or_same: bool) -> bool {
        if let ExprKind::Binary(BinaryOp::Sub, whole, by) = &at.kind
            && let Some(by) = by.as_int().filter(|by| *by > 0)
            && self
                .scope
                .ensure_least(&self.scope.range(whole, &self.known), by)
                .is_some_and(|needs| needs.is_empty())
        {
            return self.known.is_ordered_through(whole, len);
        }
        match or_same {
            true => self.known.is_ordered_through(at, len),
            false => self.known.is_less_through(at, len),
        }
    }

    /// The conditions under which the start of a range is no more than its end.
    pub(super) fn in_order(&self, start: &Expr, end: &Expr, known: &Known) -> Option<Vec<Condition>> {
        self.are_in_order(start, end, known, false)
    }

    /// The same; `is_asked` says that the end is asked to be no more than a length, too.
    fn are_in_order(
        &self,
        start: &Expr,
        end: &Expr,
        known: &Known,
        is_asked: bool,
    ) -> Option<Vec<Condition>> {
        let scope = &self.scope;
        if known.is_ordered_through(start, end) {
            return Some(Vec::new());
        }
        // No more than the lesser of two is no more than each, and no less than the greater likewise.
        if let Some([a, b]) = scope.chosen(end, ResultRange::Least) {
            return Some([self.in_order(start, a, known)?, self.in_order(start, b, known)?].concat());
        }
        if let Some([a, b]) = scope.chosen(start, ResultRange::Greatest) {
            return Some([self.in_order(a, end, known)?, self.in_order(b, end, known)?].concat());
        }
        // The lesser of two is no more than what either is no more than, and what is left of a number no more than that.
        if let Some([a, b]) = scope.chosen(start, ResultRange::Least) {
            let either = self.in_order(a, end, known).or_else(|| self.in_order(b, end, known));
            return either.or_else(|| self.in_order_by_ranges(start, end, known));
        }
        if let Some([whole, _]) = scope.chosen(start, ResultRange::Remaining)
            && integer(start).is_some_and(Scalar::is_unsigned)
            && let Some(needs) = self.in_order(whole, end, known)
        {
            return Some(needs);
        }
        if let Some(ends) = scope.branches(scope.look(end), known) {
            let [a, b] = ends.map(|(end, facts)| self.in_order(start, end, &facts));
            return Some([a?, b?].concat());
        }
        if let Some(starts) = scope.branches(scope.look(start), known) {
            let [a, b] = starts.map(|(start, facts)| self.in_order(start, end, &facts));
            if let (Some(a), Some(b)) = (a, b) {
                return Some([a, b].concat());
            }
        }
        let range = |e: &Expr| {
            let range = scope.range(e, known);
            let positive = scope.ensure_positive(e, &range)?;
            Some(Range { needs: joined(&range.needs, &positive), ..range })
        };
        let (first, last) = (range(start)?, range(end)?);
        if let Some(distance) = scope.distance(start, end) {
            // The end is not less unless the sum wraps.
            let (_, most) = integer(distance)?.int_range()?;
            let distance = range(distance)?;
            let fits = scope.ensure(first.high.sum(distance.high), Quantity::Const(most + 1))?;
            return Some([fits, distance.needs].concat());
        }
        if let Some(factors) = scope.row_length(start, end) {
            let positive = |n: &Expr| scope.ensure_positive(n, &scope.range(n, known));
            let positive = factors.into_iter().map(positive).collect::<Option<Vec<_>>>()?.concat();
            // The end is not less unless the product wraps, which a guard of the product would not tell.
            let (_, most) = scope.modulus(end)?.int_range()?;
            let plain = known.without_products();
            // If it wraps at 64 bits, it is beyond all lengths.
            let is_told = is_asked && most >= limits::ELEMENTS && scope.range(end, &plain).high == last.high;
            let fits = match is_told {
                true => Vec::new(),
                false => {
                    let (high, needs) = scope.exact_high(end, &plain);
                    joined(&scope.ensure(high, Quantity::Const(most + 1))?, &needs)
                }
            };
            return Some([fits, positive, last.needs].concat());
        }
        scope.sums_in_order(start, end, known).or_else(|| self.in_order_by_ranges(start, end, known))
    }

    /// The same by the ranges of both alone.
    fn in_order_by_ranges(&self, start: &Expr, end: &Expr, known: &Known) -> Option<Vec<Condition>> {
        let first = self.scope.range(start, known);
        let positive = self.scope.ensure_positive(start, &first)?;
        let last = self.scope.range(end, known);
        let ordered = self.scope.ensure(first.high, last.low.plus(1))?;
        Some([ordered, joined(&first.needs, &positive), last.low_needs].concat())
    }

    /// The conditions under which a whole slice is aligned for the type that it is seen as.
    fn needs_of_whole(&self, base: &Expr, ty: &Type) -> Option<Vec<Condition>> {
        let (from, to) = (base.ty.element()?.align(), ty.element()?.align());
        if to <= from || self.scope.alignment(base).is_some_and(|bytes| bytes >= to) {
            return Some(Vec::new());
        }
        self.scope.ensure(self.scope.misalignment(base, to)?, Quantity::Const(1))
    }

    /// The range that guards give for the length of an indexed expression.
    fn length(&self, base: &Expr) -> Range {
        let length = Expr { kind: ExprKind::Len(base.clone().into()), ty: Type::U64 };
        self.scope.range(&length, &self.known)
    }
}
