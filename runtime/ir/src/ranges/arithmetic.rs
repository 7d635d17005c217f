//! Ranges of sums, products and the rest of arithmetic, which may wrap.
//!
//! The upper end of an unsigned value is that of exact arithmetic: where the kernel's own wraps, the value is
//! only less, and the lower end rests on that it does not. Signed arithmetic must not wrap; that it does not is a
//! condition of both ends. For the index of a butterfly, only the whole sum must not wrap. The lower end of an unsigned
//! range is not negative where it holds.

use super::addends::addends;
use super::bits;
use super::interval::{exactly, fits};
use super::known::{Known, same, strip};
use super::range::{Range, integer, joined};
use super::scope::FunctionScope;
use crate::ir::{BinaryOp, Condition, Expr, ExprKind, Quantity, Scalar};

impl FunctionScope<'_> {
    /// The range of arithmetic that must not wrap.
    pub(crate) fn exact(&self, range: Range, scalar: Scalar) -> Option<Range> {
        let (least, most) = scalar.int_range()?;
        let above = self.ensure_least(&range, least)?;
        let below = self.ensure(range.high.clone(), Quantity::Const(most + 1))?;
        let needs = joined(&joined(&range.needs, &above), &below);
        Some(Range { needs: needs.clone(), low_needs: needs, ..range })
    }

    /// The range after unsigned arithmetic that may have wrapped, which makes it only less: the least value rests on
    /// that it has not.
    pub(crate) fn fewer(&self, range: Range, scalar: Scalar) -> Range {
        let limit = |(_, most): (i128, i128)| Quantity::Const(most + 1);
        let fits = scalar.int_range().and_then(|ends| self.ensure(range.high.clone(), limit(ends)));
        match fits {
            Some(fits) => {
                let low_needs = joined(&joined(&range.low_needs, &range.needs), &fits);
                Range { low_needs, ..range }
            }
            None => Range { low: Quantity::Const(0), low_needs: Vec::new(), ..range },
        }
    }

    fn wrapping(&self, range: Range, scalar: Scalar) -> Option<Range> {
        if scalar.is_unsigned() { Some(self.fewer(range, scalar)) } else { self.exact(range, scalar) }
    }

    /// The range of a sum, by its two parts and by the sums of its addends that guards tell of.
    pub(super) fn added(&self, e: &Expr, scalar: Scalar, known: &Known, fuel: &mut usize) -> Option<Range> {
        if let Some(butterfly) = self.butterfly(e, scalar, known, fuel) {
            return Some(butterfly);
        }
        let ExprKind::Binary(BinaryOp::Add, a, b) = &e.kind else { return None };
        let (of_a, of_b) = (self.within(a, known, fuel), self.within(b, known, fuel));
        let plain = self.binary(BinaryOp::Add, of_a, of_b, scalar, false);
        let addends = addends(e);
        let mut all = match self.between(a, b, known, fuel) {
            Some(between) => Some(plain.map_or(between.clone(), |plain| plain.meet(&between))),
            None => plain,
        };
        if let (Some(plain), Some(below)) = (&all, self.below_sum((a, b), scalar, known, fuel)) {
            // A signed sum may also wrap below the least number.
            let needs = if scalar.is_signed() { joined(&below.needs, &plain.low_needs) } else { below.needs };
            let below = Range { needs, low: plain.low.clone(), low_needs: plain.low_needs.clone(), ..below };
            all = Some(plain.clone().meet(&below));
        }
        if let (Some(plain), Some(most)) = (&all, self.most_of_disjoint((a, b), known, fuel)) {
            all = Some(plain.clone().meet(&most));
        }
        if addends.len() < 3 {
            return all;
        }
        for (sum, fact) in known.ranges().filter(|(sum, _)| sum.ty == e.ty) {
            let Some(rest) = without(&addends, sum) else { continue };
            let others = rest.iter().map(|e| self.within(e, known, fuel));
            let told = others
                .into_iter()
                .try_fold(fact.clone(), |all, own| self.binary(BinaryOp::Add, all, own, scalar, false));
            all = match (all, told) {
                // The guard's own statement is what its author had in mind, and it holds for fewer values.
                (Some(all), Some(told)) if told.high.is_known() => {
                    let Range { low, low_needs, .. } = all.meet(&told);
                    Some(Range { low, low_needs, ..told })
                }
                (all, told) => all.or(told),
            };
        }
        all
    }

    /// The upper end of a sum, by guards of the same sum with a number in the place of an addend that is no more than it.
    fn below_sum(
        &self,
        (a, b): (&Expr, &Expr),
        scalar: Scalar,
        known: &Known,
        fuel: &mut usize,
    ) -> Option<Range> {
        let mut found: Option<Range> = None;
        for (sum, fact) in known.ranges().filter(|(_, fact)| fact.high.is_telling()) {
            let ExprKind::Binary(BinaryOp::Add, c, d) = &sum.kind else { continue };
            for (own, other, most, rest) in [(a, b, c, d), (a, b, d, c), (b, a, c, d), (b, a, d, c)] {
                let is_it = integer(sum) == Some(scalar) && same(strip(other), strip(rest));
                if !is_it || !known.is_ordered(own, most) {
                    continue;
                }
                let gap = i128::from(known.is_less(own, most));
                // The guard tells of a sum that has not wrapped.
                let (most, rest) = (self.within(most, known, fuel), self.within(rest, known, fuel));
                let Some(exact) = self.exact(most.plus(&rest), scalar) else { continue };
                let needs = joined(&fact.needs, &exact.all_needs());
                let range = Range { high: fact.high.clone().plus(-gap), needs, ..Range::of_type(scalar) };
                found = Some(found.map_or(range.clone(), |found| found.meet(&range)));
            }
        }
        found
    }

    /// The conditions under which a sum of numbers that are not negative is at least another number, because one of them
    /// is. Should the sum wrap, the difference wraps back.
    pub(super) fn has_more(
        &self,
        sum: &Expr,
        less: &Expr,
        scalar: Scalar,
        known: &Known,
        fuel: &mut usize,
    ) -> Option<Vec<Condition>> {
        let all = addends(sum);
        let at = all.iter().position(|own| all.len() > 1 && known.is_ordered(less, own))?;
        let mut needs = Vec::new();
        for (i, own) in all.iter().enumerate().filter(|_| scalar.is_signed()) {
            let own = self.within(own, known, fuel);
            needs = if i == at { needs } else { joined(&needs, &self.ensure_least(&own, 0)?) };
        }
        Some(needs)
    }

    /// The range of a sum less a number that one of its addends is no more than: at most the other addends. Should the sum
    /// wrap, the difference wraps back.
    pub(super) fn short_of(
        &self,
        sum: &Expr,
        less: &Expr,
        scalar: Scalar,
        known: &Known,
        fuel: &mut usize,
    ) -> Option<Range> {
        let mut rest = addends(sum);
        let at = rest.iter().position(|own| rest.len() > 1 && known.is_ordered(own, less))?;
        let (own, less) = (self.within(rest.remove(at), known, fuel), self.within(less, known, fuel));
        let mut range = Range {
            low: own.low.sum(less.high.negated()),
            low_needs: joined(&own.low_needs, &less.needs),
            ..Range::numbers(0, 0)
        };
        for other in rest {
            let Range { low, high, needs, low_needs } = self.within(other, known, fuel);
            range = Range {
                low: range.low.sum(low),
                high: range.high.sum(high),
                needs: joined(&range.needs, &needs),
                low_needs: joined(&range.low_needs, &low_needs),
            };
        }
        self.exact(range, scalar)
    }

    /// The range of `low + (high - low) / n` where `low` is known to be less than `high`: from one to before the other.
    pub(super) fn between(&self, low: &Expr, step: &Expr, known: &Known, fuel: &mut usize) -> Option<Range> {
        let ExprKind::Binary(BinaryOp::Div, distance, n) = &strip(step).kind else { return None };
        let ExprKind::Binary(BinaryOp::Sub, high, from) = &strip(distance).kind else { return None };
        let is_part = n.as_int().is_some_and(|n| n > 1) && same(strip(from), strip(low));
        let below = self.is_below(low, high, known).filter(|_| is_part)?;
        // The distance of two signed numbers may wrap.
        let scalar = integer(strip(distance)).filter(|scalar| scalar.is_signed());
        let exact = |scalar| {
            let [high, low] = [high, low].map(|e| self.within(e, known, fuel));
            self.subtracted(high, low, scalar, true).map(|distance| distance.all_needs())
        };
        let needs = joined(&scalar.map_or(Some(Vec::new()), exact)?, &below);
        Some(self.amid(low, high, known, fuel).needing(&needs))
    }

    /// The range of `(low + high) / 2` where `low` is known to be less than `high`, if the sum does not wrap.
    pub(super) fn middle(
        &self,
        sum: &Expr,
        n: &Expr,
        op: BinaryOp,
        known: &Known,
        fuel: &mut usize,
    ) -> Option<Range> {
        let (sum, scalar) = (strip(sum), integer(strip(sum))?);
        let ExprKind::Binary(BinaryOp::Add, a, b) = &sum.kind else { return None };
        let pairs: [(&Expr, &Expr); 2] = [(a, b), (b, a)];
        let below = |(low, high)| Some((low, high, self.is_below(low, high, known)?));
        let (low, high, below) = pairs.into_iter().find_map(below)?;
        let whole = self.within(high, known, fuel);
        let twice = whole.high.product(Quantity::Const(2));
        let fits = self.ensure(twice, Quantity::Const(scalar.int_range()?.1 + 1))?;
        let needs = joined(&joined(&fits, &whole.needs), &below);
        let positive = if scalar.is_unsigned() {
            Vec::new()
        } else {
            self.ensure_least(&self.within(low, known, fuel), 0)?
        };
        let halves = n.as_int() == Some(if op == BinaryOp::Div { 2 } else { 1 });
        halves.then(|| self.amid(low, high, known, fuel).needing(&needs).needing(&positive))
    }

    /// From one value to before another.
    pub(super) fn amid(&self, low: &Expr, high: &Expr, known: &Known, fuel: &mut usize) -> Range {
        let (low, high) = (self.within(low, known, fuel), self.within(high, known, fuel));
        Range { low: low.low, low_needs: low.low_needs, high: high.high.plus(-1), needs: high.needs }
    }

    /// The range of `a op b`; `ordered` says that `b` is at most `a`.
    pub(super) fn binary(
        &self,
        op: BinaryOp,
        a: Range,
        b: Range,
        scalar: Scalar,
        ordered: bool,
    ) -> Option<Range> {
        let needs = (joined(&a.needs, &b.needs), joined(&a.low_needs, &b.low_needs));
        let positive =
            |of: &Range| if scalar.is_unsigned() { Some(Vec::new()) } else { self.ensure_least(of, 0) };
        let made = |low: Quantity, high: Quantity| Range {
            low,
            high,
            needs: needs.0.clone(),
            low_needs: needs.1.clone(),
        };
        match op {
            BinaryOp::Add => self.wrapping(a.plus(&b), scalar),
            BinaryOp::Mul => self.multiplied(&a, &b, scalar),
            BinaryOp::Sub => self.subtracted(a, b, scalar, ordered),
            BinaryOp::Div => {
                let sound = joined(&positive(&a)?, &self.ensure_least(&b, 1)?);
                // Below a multiple of the divisor, the quotient is below the other factors.
                let (factors, divides) = match self.factors(&a.high, &b.low) {
                    Some((others, divides)) => (Some(others.plus(-1)), divides),
                    None => (None, Vec::new()),
                };
                let sound = joined(&sound, &divides);
                let high = factors.unwrap_or_else(|| a.high.clone().ratio(b.low));
                let most = Range { low_needs: joined(&needs.0, &needs.1), ..made(a.low.ratio(b.high), high) };
                Some(Range { needs: joined(&needs.0, &needs.1), ..most }.needing(&sound))
            }
            BinaryOp::Rem => {
                let sound = self.ensure_least(&b, 1)?;
                Some(self.remainder(a, b, scalar).needing(&sound))
            }
            BinaryOp::BitAnd => self.masked(a, b, scalar),
            BinaryOp::BitOr | BinaryOp::BitXor => {
                let sound = joined(&positive(&a)?, &positive(&b)?);
                let low = if op == BinaryOp::BitOr { a.low.greatest(b.low) } else { Quantity::Const(0) };
                Some(made(low, bits::joined(a.high, b.high)).needing(&sound))
            }
            BinaryOp::Shr => {
                let sound = positive(&a)?;
                let bits = i128::from(scalar.bits());
                if let Some(c) = constant(&b).filter(|c| (0..bits).contains(c)) {
                    return Some(made(a.low.quotient(1 << c), a.high.quotient(1 << c)).needing(&sound));
                }
                // A shift by as many bits as there are, or more, is by what is left of that number.
                // The number of bits may have a sign where the value has none.
                let within = [self.ensure_least(&b, 0), self.ensure(b.high.clone(), Quantity::Const(bits))];
                let halved = match within {
                    [Some(least), Some(most)] => {
                        let needs = joined(&joined(&least, &most), &joined(&b.needs, &b.low_needs));
                        let high = a.high.clone().ratio(b.low.power());
                        Range { needs: a.needs.clone(), ..Range::new(Quantity::Const(0), high) }
                            .needing(&needs)
                    }
                    _ => Range { needs: a.needs, ..Range::new(Quantity::Const(0), a.high) },
                };
                Some(halved.needing(&sound))
            }
            BinaryOp::Shl => {
                let sound = positive(&a)?;
                let bits = i128::from(scalar.bits());
                let within =
                    [self.ensure_least(&b, 0)?, self.ensure(b.high.clone(), Quantity::Const(bits - 1))?];
                let within = joined(&within[0], &within[1]);
                let low = a.low.product(b.low.power());
                let high = a.high.product(b.high.power());
                self.wrapping(made(low, high).needing(&sound).needing(&within), scalar)
            }
            _ => {
                let ends = ((a.low.minimum(), a.high.most()), (b.low.minimum(), b.high.most()));
                let plain = exactly(op, ends.0, ends.1).filter(|plain| fits(*plain, scalar));
                plain.map(|(low, high)| made(Quantity::Const(low), Quantity::Const(high)))
            }
        }
    }

    /// For `a` less than `m * n`, the quotient `a / n` is less than `m`: that `m`, where `a` is at most `most` and `n` is `by`, and the
    /// condition that `n` is above zero, if a launch must fulfil it.
    fn factors(&self, most: &Quantity, by: &Quantity) -> Option<(Quantity, Vec<Condition>)> {
        let over = |by: &Quantity| most.bounds().into_iter().find_map(|most| most.clone().plus(1).over(by));
        if let Some(others) = over(by) {
            return Some((others, Vec::new()));
        }
        // A guard tells that the divisor is above zero: it is no less than one.
        let Quantity::Greatest(ab) = by else { return None };
        let by = if ab[0].as_const().is_some() { &ab[1] } else { &ab[0] };
        let divides = self.ensure_least(&Range::exactly(by.clone()), 1)?;
        Some((over(by)?, divides))
    }

    fn subtracted(&self, a: Range, b: Range, scalar: Scalar, ordered: bool) -> Option<Range> {
        let low_needs = joined(&a.low_needs, &b.needs);
        let needs = joined(&a.needs, &b.low_needs);
        let low = a.low.sum(b.high.negated());
        let high = a.high.sum(b.low.negated());
        if ordered {
            let range = Range { low: low.greatest(Quantity::Const(0)), high, needs, low_needs };
            // The difference to a negative number may be more than the type holds.
            return if scalar.is_unsigned() { Some(range) } else { self.exact(range, scalar) };
        }
        self.exact(Range { low, high, needs, low_needs }, scalar)
    }

    fn multiplied(&self, a: &Range, b: &Range, scalar: Scalar) -> Option<Range> {
        let (needs, low_needs) = (joined(&a.needs, &b.needs), joined(&a.low_needs, &b.low_needs));
        let scaled = constant(a).map(|n| (n, b)).or_else(|| Some((constant(b)?, a)));
        if let Some((n, of)) = scaled {
            let times = |of: &Quantity| of.clone().product(Quantity::Const(n.abs()));
            let (low, high) = (times(&of.low), times(&of.high));
            let range = match n < 0 {
                true => {
                    Range { low: high.negated(), high: low.negated(), needs: low_needs, low_needs: needs }
                }
                false => Range { low, high, needs, low_needs },
            };
            return self.wrapping(range, scalar);
        }
        let sound = match scalar.is_unsigned() {
            true => Vec::new(),
            false => match (self.ensure_least(a, 0), self.ensure_least(b, 0)) {
                (Some(a), Some(b)) => joined(&a, &b),
                _ => return self.multiplied_numbers(a, b, scalar),
            },
        };
        let low = a.low.clone().product(b.low.clone());
        let high = a.high.clone().product(b.high.clone());
        let range = Range { low, high, needs, low_needs }.needing(&sound);
        if scalar.is_unsigned() {
            return Some(self.fewer(range, scalar));
        }
        // A product of numbers that are not negative is not below the least one.
        let (_, most) = scalar.int_range()?;
        let fits = self.ensure(range.high.clone(), Quantity::Const(most + 1))?;
        let needs = joined(&range.all_needs(), &fits);
        Some(Range { needs: needs.clone(), low_needs: needs, ..range })
    }

    /// A product of factors that may be negative, by plain numbers.
    fn multiplied_numbers(&self, a: &Range, b: &Range, scalar: Scalar) -> Option<Range> {
        let ends = |of: &Range| (of.low.minimum(), of.high.most());
        let (low, high) = exactly(BinaryOp::Mul, ends(a), ends(b))?;
        let needs = joined(&a.all_needs(), &b.all_needs());
        self.exact(Range::numbers(low, high).needing(&needs), scalar)
    }

    /// `a % b` of a divisor that is above zero: nearer to zero than it, with the sign of the dividend.
    fn remainder(&self, a: Range, b: Range, scalar: Scalar) -> Range {
        let positive = if scalar.is_unsigned() { Some(Vec::new()) } else { self.ensure_least(&a, 0) };
        let below = Range { needs: b.needs.clone(), ..Range::below(b.high.clone()) };
        match positive {
            Some(positive) => {
                let of_a = Range { low: Quantity::Const(0), low_needs: Vec::new(), ..a };
                below.meet(&of_a).needing(&positive)
            }
            None => Range { low: b.high.negated().plus(1), low_needs: b.needs, ..below },
        }
    }

    /// `a & b`: not above either that is not negative.
    fn masked(&self, a: Range, b: Range, scalar: Scalar) -> Option<Range> {
        let part = |of: &Range| {
            let sound = if scalar.is_unsigned() { Vec::new() } else { self.ensure_least(of, 0)? };
            Some(Range { low: Quantity::Const(0), low_needs: Vec::new(), ..of.clone() }.needing(&sound))
        };
        let is_sure = |of: &Range| scalar.is_unsigned() || of.low.minimum() >= 0;
        // A mask without its last bits leaves a multiple.
        let multiple = |of: Range, mask: &Range| match constant(mask).map(i128::trailing_zeros) {
            Some(bits @ 1..64) => {
                Range { high: of.high.quotient(1 << bits).product(Quantity::Const(1 << bits)), ..of }
            }
            _ => of,
        };
        let (a, b) = (multiple(a.clone(), &b), multiple(b, &a));
        match (is_sure(&a), is_sure(&b)) {
            (true, false) => part(&a),
            (false, true) => part(&b),
            _ => match (part(&a), part(&b)) {
                (Some(a), Some(b)) => Some(a.meet(&b)),
                (a, b) => a.or(b),
            },
        }
    }
}

/// The only number of a range.
fn constant(of: &Range) -> Option<i128> {
    of.low.as_const().filter(|n| of.high.as_const() == Some(*n))
}

/// The addends that are left without those of a sum; nothing if they are not all there.
fn without<'e>(all: &[&'e Expr], sum: &Expr) -> Option<Vec<&'e Expr>> {
    let parts = addends(sum);
    let mut rest = all.to_vec();
    if parts.len() < 2 || parts.len() >= all.len() {
        return None;
    }
    for part in parts {
        let at = rest.iter().position(|own| same(strip(own), strip(part)))?;
        rest.remove(at);
    }
    Some(rest)
}
