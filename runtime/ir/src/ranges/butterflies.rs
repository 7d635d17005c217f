//! Indices of butterflies, in which a bit is put into a number: as Fourier transforms, Walsh transforms and bitonic sorts index.
//!
//! Thread `t` has the elements `2 * t - r` and `2 * t - r + span`, where `r` is `t % span`. Kernels write that in many ways:
//! `(t / span) * 2 * span + r`, `((t >> s) << (s + 1)) + r` with a span of `1 << s`, `((t - r) << 1) + r`. All of them are sums of
//! multiples of `r`, the span and `w`, the multiple of the span that `t - r` is. Arithmetic that wraps does not matter for
//! what they come to: if that fits the type, then it is the value.
//!
//! If `t` is below a power of two that is a multiple of the span, then `w` is at most the power less the span.

use super::known::{Known, same, strip};
use super::range::{Range, integer, joined};
use super::scope::{FUEL, FunctionScope};
use crate::ir::{BinaryOp, Condition, Expr, ExprKind, Quantity, Scalar};

/// Operators above each other that are looked through.
const MOST_DEPTH: usize = 8;

/// Remainders in an index at most that are looked at.
const MOST_REMAINDERS: usize = 4;

/// A number that is divided, and by what.
#[derive(Clone, Copy)]
struct Division<'e> {
    t: &'e Expr,
    span: &'e Expr,
    scalar: Scalar,
}

/// A sum of multiples: of one, the span, the quotient, the multiple of the span below `t`, and the remainder.
#[derive(Clone, Copy, Debug, Default)]
struct Multiples {
    one: i128,
    span: i128,
    quotient: i128,
    whole: i128,
    rest: i128,
}

impl Multiples {
    fn of(one: i128) -> Self {
        Self { one, ..Self::default() }
    }

    fn map(self, other: Self, of: impl Fn(i128, i128) -> Option<i128>) -> Option<Self> {
        Some(Self {
            one: of(self.one, other.one)?,
            span: of(self.span, other.span)?,
            quotient: of(self.quotient, other.quotient)?,
            whole: of(self.whole, other.whole)?,
            rest: of(self.rest, other.rest)?,
        })
    }

    fn times(self, n: i128) -> Option<Self> {
        self.map(self, |own, _| own.checked_mul(n))
    }

    fn is_number(self) -> bool {
        [self.span, self.quotient, self.whole, self.rest].iter().all(|of| *of == 0)
    }

    /// The product, if it is such a sum: one of both is a number, or one the span and the other the quotient.
    fn product(self, other: Self) -> Option<Self> {
        match (self, other) {
            (a, b) if b.is_number() => a.times(b.one),
            (a, b) if a.is_number() => b.times(a.one),
            (a, b) => {
                let (spans, quotients) = if a.span != 0 { (a, b) } else { (b, a) };
                let are_alone =
                    Self { span: 0, ..spans }.is_nothing() && Self { quotient: 0, ..quotients }.is_nothing();
                let whole = spans.span.checked_mul(quotients.quotient)?;
                are_alone.then_some(Self { whole, ..Self::default() })
            }
        }
    }

    fn is_nothing(self) -> bool {
        self.one == 0 && self.is_number()
    }

    /// Returns whether it is an index of a butterfly: no part lowers it, and it is not `t` and a number alone.
    fn is_index(self) -> bool {
        let is_positive = [self.one, self.span, self.whole, self.rest].iter().all(|of| *of >= 0);
        let has_both = self.whole > 0 && self.rest > 0;
        is_positive && self.quotient == 0 && has_both && (self.span > 0 || self.whole != self.rest)
    }

    /// The most it is, where `t` is at most this, and the span a power of two that is at most this, or zero: then the remainder is all of
    /// `t`.
    fn most_of_power(self, t: Quantity, span: Quantity) -> Quantity {
        let most = span.ones().plus(1).quotient(2);
        // The span divides the power above `t`, or else there is only a remainder.
        let more = self.rest + self.span - self.whole;
        let spans = match more > 0 {
            true => times(&most, more).plus(self.whole - self.rest),
            false => Quantity::Const(self.span),
        };
        let divides = times(&t.clone().ones(), self.whole).sum(spans);
        divides.greatest(times(&t, self.rest).sum(times(&most, self.span))).plus(self.one)
    }

    /// The most it is, where `t` is at most this and the span is this, which is not zero.
    fn most_of_number(self, t: Quantity, span: Quantity) -> Quantity {
        let whole = t.ratio(span.clone()).product(span.clone());
        let spans = times(&span, self.rest + self.span).plus(-self.rest);
        times(&whole, self.whole).sum(spans).plus(self.one)
    }
}

fn times(of: &Quantity, n: i128) -> Quantity {
    of.clone().product(Quantity::Const(n))
}

impl FunctionScope<'_> {
    /// The range of an index of a butterfly.
    pub(super) fn butterfly(
        &self,
        e: &Expr,
        scalar: Scalar,
        known: &Known,
        fuel: &mut usize,
    ) -> Option<Range> {
        let mut remainders = Vec::new();
        self.remainders(e, scalar, known, MOST_DEPTH, &mut remainders);
        let (of, sum, mut needs) = remainders.into_iter().find_map(|of| {
            let mut needs = Vec::new();
            let sum = self.multiples(e, of, known, fuel, MOST_DEPTH, &mut needs)?;
            sum.is_index().then_some((of, sum, needs))
        })?;
        let (of_t, of_span) = (self.within(of.t, known, fuel), self.within(of.span, known, fuel));
        for (e, range) in [(of.t, &of_t), (of.span, &of_span)] {
            needs = joined(&needs, &self.ensure_positive(e, range)?);
            needs = joined(&needs, &range.needs);
        }
        let high = if self.is_power(of.span) {
            let [t, span] = [&of_t, &of_span].map(|range| Quantity::Const(range.high.most()));
            sum.most_of_power(of_t.high, of_span.high).least(sum.most_of_power(t, span))
        } else {
            let (span, of_value) = of_span.value()?;
            needs = joined(&joined(&needs, &of_value), &self.ensure_least(&of_span, 1)?);
            sum.most_of_number(of_t.high, span)
        };
        let fits = self.ensure(high.clone(), Quantity::Const(scalar.int_range()?.1 + 1))?;
        Some(Range::new(Quantity::Const(sum.one), high).needing(&joined(&needs, &fits)))
    }

    /// The same of an index into a part of a slice, which begins at `start`.
    pub(super) fn butterfly_of(&self, start: &Expr, index: &Expr, known: &Known) -> Option<Range> {
        let (start, index) = (strip(start), strip(index));
        let sum = Expr::binary(BinaryOp::Add, start.clone(), index.clone());
        self.butterfly(&sum, integer(start)?, known, &mut FUEL.clone())
    }

    /// What a variable was last given, or an expression itself.
    fn latest<'e>(&'e self, e: &'e Expr, known: &'e Known) -> &'e Expr {
        let given = known.alias(strip(e)).map_or_else(|| self.look(e), strip);
        if let ExprKind::Exact(inner) = &given.kind { inner } else { given }
    }

    fn is_alike(&self, a: &Expr, b: &Expr, known: &Known) -> bool {
        self.alike(a, b) || same(self.latest(a, known), self.latest(b, known))
    }

    /// The remainders that an expression is made of.
    fn remainders<'e>(
        &'e self,
        e: &'e Expr,
        scalar: Scalar,
        known: &'e Known,
        depth: usize,
        found: &mut Vec<Division<'e>>,
    ) {
        let e = self.latest(e, known);
        let ExprKind::Binary(op, a, b) = &e.kind else { return };
        if depth == 0 || integer(e) != Some(scalar) || found.len() == MOST_REMAINDERS {
            return;
        }
        match op {
            BinaryOp::Rem | BinaryOp::BitAnd => found.extend(self.divided(e, scalar, known)),
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl => {
                self.remainders(a, scalar, known, depth - 1, found);
                self.remainders(b, scalar, known, depth - 1, found);
            }
            _ => {}
        }
    }

    /// `t % span`, or `t & (span - 1)` for a span that is a power of two or zero.
    fn divided<'e>(&'e self, e: &'e Expr, scalar: Scalar, known: &'e Known) -> Option<Division<'e>> {
        let ExprKind::Binary(op, a, b) = &e.kind else { return None };
        let masked = |t: &'e Expr, mask: &'e Expr| {
            let ExprKind::Binary(BinaryOp::Sub, span, one) = &self.latest(mask, known).kind else {
                return None;
            };
            let is_mask = one.as_int() == Some(1) && integer(span) == Some(scalar) && self.is_power(span);
            is_mask.then_some(Division { t, span, scalar })
        };
        match op {
            BinaryOp::Rem => Some(Division { t: a, span: b, scalar }),
            BinaryOp::BitAnd => masked(a, b).or_else(|| masked(b, a)),
            _ => None,
        }
    }

    /// An expression as a sum of multiples, in the arithmetic of its type. Adds what it rests on to `needs`.
    fn multiples(
        &self,
        e: &Expr,
        of: Division<'_>,
        known: &Known,
        fuel: &mut usize,
        depth: usize,
        needs: &mut Vec<Condition>,
    ) -> Option<Multiples> {
        if depth == 0 || integer(e) != Some(of.scalar) {
            return None;
        }
        if let Some(n) = e.as_int() {
            return Some(Multiples::of(n));
        }
        if self.is_alike(e, of.t, known) {
            return Some(Multiples { whole: 1, rest: 1, ..Multiples::default() });
        }
        if self.is_alike(e, of.span, known) {
            return Some(Multiples { span: 1, ..Multiples::default() });
        }
        let given = self.latest(e, known);
        let ExprKind::Binary(op, a, b) = &given.kind else { return None };
        // What is widened afterwards may have wrapped before.
        if integer(given) != Some(of.scalar) {
            return None;
        }
        if let Some(own) = self.divided(given, of.scalar, known) {
            let is_rest = self.is_alike(own.t, of.t, known) && self.is_alike(own.span, of.span, known);
            return is_rest.then_some(Multiples { rest: 1, ..Multiples::default() });
        }
        let mut part =
            |e: &Expr, needs: &mut Vec<Condition>| self.multiples(e, of, known, fuel, depth - 1, needs);
        match op {
            BinaryOp::Add => part(a, needs)?.map(part(b, needs)?, i128::checked_add),
            BinaryOp::Sub => part(a, needs)?.map(part(b, needs)?, i128::checked_sub),
            BinaryOp::Mul => part(a, needs)?.product(part(b, needs)?),
            BinaryOp::Div => {
                let is_it = self.is_alike(a, of.t, known) && self.is_alike(b, of.span, known);
                is_it.then_some(Multiples { quotient: 1, ..Multiples::default() })
            }
            BinaryOp::Shr => {
                let is_it = self.is_alike(a, of.t, known) && self.is_span(b, of.span, known);
                is_it.then_some(Multiples { quotient: 1, ..Multiples::default() })
            }
            BinaryOp::Shl => {
                let value = part(a, needs)?;
                let (by, more) = self.shifted(b, of, known)?;
                if !more {
                    return value.times(1 << by);
                }
                // A shift by as many bits as the type has, or more, would be another one.
                let bits = self.within(b, known, fuel);
                let limit = Quantity::Const(of.scalar.bits().into());
                *needs = joined(&joined(needs, &bits.needs), &self.ensure(bits.high, limit)?);
                value.product(Multiples { span: 1 << by, ..Multiples::default() })
            }
            _ => None,
        }
    }

    /// Returns whether the span is `1 << bits`.
    fn is_span(&self, bits: &Expr, span: &Expr, known: &Known) -> bool {
        let ExprKind::Binary(BinaryOp::Shl, one, by) = &self.latest(span, known).kind else { return false };
        one.as_int() == Some(1) && self.is_alike(by, bits, known)
    }

    /// A shift by a number, or by the span's bits and a number of more.
    fn shifted(&self, by: &Expr, of: Division<'_>, known: &Known) -> Option<(u32, bool)> {
        let few = |n: i128| u32::try_from(n).ok().filter(|n| *n < of.scalar.bits());
        if let Some(n) = by.as_int() {
            return Some((few(n)?, false));
        }
        if self.is_span(by, of.span, known) {
            return Some((0, true));
        }
        let ExprKind::Binary(BinaryOp::Add, a, b) = &self.latest(by, known).kind else { return None };
        let more =
            |of_span: &Expr, n: &Expr| Some((few(n.as_int()?)?, self.is_span(of_span, of.span, known)));
        more(a, b).or_else(|| more(b, a)).filter(|(_, is_span)| *is_span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sums of few multiples.
    fn all() -> impl Iterator<Item = Multiples> {
        let few = |at: i128| [0, 1, 2, 5][at as usize];
        (0..256).map(move |n| Multiples {
            one: few(n % 4),
            span: few(n / 4 % 4),
            quotient: 0,
            whole: few(n / 16 % 4),
            rest: few(n / 64),
        })
    }

    fn value(of: Multiples, t: i128, span: i128) -> i128 {
        let rest = if span == 0 { t } else { t % span };
        of.one + of.span * span + of.whole * (t - rest) + of.rest * rest
    }

    #[test]
    fn no_sum_is_more_than_the_most_of_a_power() {
        for (of, t) in all().flat_map(|of| (0..40).map(move |t| (of, t))) {
            for bound in 0..=33 {
                let most = of.most_of_power(Quantity::Const(t), Quantity::Const(bound)).most();
                for span in [0, 1, 2, 4, 8, 16, 32].into_iter().filter(|span| *span <= bound) {
                    let highest = (0..=t).map(|t| value(of, t, span)).max().unwrap_or(0);
                    assert!(highest <= most, "{of:?} {t} {span}: {highest} > {most}");
                }
            }
        }
        let index = Multiples { one: 0, span: 1, quotient: 0, whole: 2, rest: 1 };
        assert_eq!(index.most_of_power(Quantity::Const(511), Quantity::Const(512)).most(), 1023);
    }

    #[test]
    fn no_sum_is_more_than_the_most_of_a_number() {
        for (of, t) in all().flat_map(|of| (0..40).map(move |t| (of, t))) {
            for span in 1..=33 {
                let most = of.most_of_number(Quantity::Const(t), Quantity::Const(span)).most();
                let highest = (0..=t).map(|t| value(of, t, span)).max().unwrap_or(0);
                assert!(highest <= most, "{of:?} {t} {span}: {highest} > {most}");
            }
        }
        let index = Multiples { one: 0, span: 1, quotient: 0, whole: 2, rest: 1 };
        assert_eq!(index.most_of_number(Quantity::Const(511), Quantity::Const(16)).most(), 1023);
    }
}
