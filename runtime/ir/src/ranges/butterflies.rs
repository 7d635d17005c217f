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

/// Expressions at most that are looked at for one remainder.
const MOST_EXPRESSIONS: usize = 64;

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
                // Each has nothing else in it.
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

    /// Returns whether no part lowers it.
    fn is_positive(self) -> bool {
        [self.one, self.span, self.quotient, self.whole, self.rest].iter().all(|of| *of >= 0)
    }

    /// Returns whether it is an index of a butterfly, in which the multiple of the span counts for more than the remainder. Of others the sum
    /// of their parts' ranges says as much.
    fn is_index(self) -> bool {
        self.quotient == 0 && self.whole > self.rest && self.rest > 0
    }

    /// The most it is, where `t` is at most this, and the span is a power of two that is at most this. The span may be zero where it is only
    /// in a mask, which then leaves all of `t`.
    fn most_of_power(self, t: Quantity, span: Quantity) -> Quantity {
        let most = span.ones().plus(1).quotient(2);
        // The span divides the power above `t`, or else there is only a remainder.
        let more = self.rest.saturating_add(self.span).saturating_sub(self.whole);
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
        let spans = times(&span, self.rest.saturating_add(self.span)).plus(-self.rest);
        times(&whole, self.whole).sum(spans).plus(self.one)
    }
}

fn times(of: &Quantity, n: i128) -> Quantity {
    of.clone().product(Quantity::Const(n))
}

/// A search for the multiples of one division, with what they rest on.
struct Search<'e> {
    of: Division<'e>,
    known: &'e Known,
    needs: Vec<Condition>,
    /// Whether something is divided by the span, which is then not to be zero.
    divides: bool,
    /// Expressions that it may still look at.
    left: usize,
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
        self.butterfly_in(&[e], scalar, known, fuel)
    }

    /// The same for an index into a part of a slice that begins at `start`. No term of either is negative, so neither has wrapped if their
    /// sum fits.
    pub(super) fn butterfly_of(&self, start: &Expr, index: &Expr, known: &Known) -> Option<Range> {
        let parts = [strip(start), strip(index)];
        self.butterfly_in(&parts, integer(parts[0])?, known, &mut FUEL.clone())
    }

    fn butterfly_in(
        &self,
        parts: &[&Expr],
        scalar: Scalar,
        known: &Known,
        fuel: &mut usize,
    ) -> Option<Range> {
        let mut remainders = Vec::new();
        parts.iter().for_each(|e| self.remainders(e, scalar, known, MOST_DEPTH, &mut remainders));
        let (sum, search) = remainders.into_iter().find_map(|of| {
            let (needs, divides) = (Vec::new(), false);
            let mut search = Search { of, known, needs, divides, left: MOST_EXPRESSIONS };
            let mut sum = Multiples::default();
            for e in parts {
                let part = self.multiples(e, &mut search, fuel, MOST_DEPTH)?;
                sum = sum.map(part, i128::checked_add).filter(|_| part.is_positive())?;
            }
            sum.is_index().then_some((sum, search))
        })?;
        let Search { of, divides, mut needs, .. } = search;
        let (of_t, of_span) = (self.within(of.t, known, fuel), self.within(of.span, known, fuel));
        for (e, range) in [(of.t, &of_t), (of.span, &of_span)] {
            needs = joined(&joined(&needs, &self.ensure_positive(e, range)?), &range.needs);
        }
        let is_power = self.is_power(of.span);
        if divides || !is_power {
            needs = joined(&needs, &self.ensure_least(&of_span, 1)?);
        }
        let high = if is_power {
            let [t, span] = [&of_t, &of_span].map(|range| Quantity::Const(range.high.most()));
            sum.most_of_power(of_t.high, of_span.high).least(sum.most_of_power(t, span))
        } else {
            let (span, of_value) = of_span.value()?;
            needs = joined(&needs, &of_value);
            sum.most_of_number(of_t.high, span)
        };
        let fits = self.ensure(high.clone(), Quantity::Const(scalar.int_range()?.1 + 1))?;
        Some(Range::new(Quantity::Const(sum.one), high).needing(&joined(&needs, &fits)))
    }

    /// What a part of an index is made of: `Exact` says no more of it here.
    fn made<'e>(&'e self, e: &'e Expr, known: &'e Known) -> &'e Expr {
        let latest = self.latest(e, known);
        if let ExprKind::Exact(inner) = &latest.kind { inner } else { latest }
    }

    fn is_alike(&self, a: &Expr, b: &Expr, known: &Known) -> bool {
        self.alike(a, b) || same(self.made(a, known), self.made(b, known))
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
        let e = self.made(e, known);
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
            let ExprKind::Binary(BinaryOp::Sub, span, one) = &self.made(mask, known).kind else {
                return None;
            };
            let is_mask = one.as_int() == Some(1) && integer(span) == Some(scalar) && self.is_power(span);
            is_mask.then_some(Division { t, span, scalar })
        };
        let division = match op {
            BinaryOp::Rem => Some(Division { t: a, span: b, scalar }),
            BinaryOp::BitAnd => masked(a, b).or_else(|| masked(b, a)),
            _ => None,
        };
        // What others may write is not the same each time it is read.
        division.filter(|of| self.is_lent(of.t) && self.is_lent(of.span))
    }

    /// An expression as a sum of multiples, in the arithmetic of its type.
    fn multiples(
        &self,
        e: &Expr,
        search: &mut Search<'_>,
        fuel: &mut usize,
        depth: usize,
    ) -> Option<Multiples> {
        let (of, known) = (search.of, search.known);
        search.left = search.left.checked_sub(1)?;
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
        let made = self.made(e, known);
        let ExprKind::Binary(op, a, b) = &made.kind else { return None };
        // What is widened afterwards may have wrapped before.
        if integer(made) != Some(of.scalar) {
            return None;
        }
        if let Some(own) = self.divided(made, of.scalar, known) {
            search.divides |= *op == BinaryOp::Rem;
            let is_rest = self.is_alike(own.t, of.t, known) && self.is_alike(own.span, of.span, known);
            return is_rest.then_some(Multiples { rest: 1, ..Multiples::default() });
        }
        let quotient = Some(Multiples { quotient: 1, ..Multiples::default() });
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
                let a = self.multiples(a, search, fuel, depth - 1)?;
                let b = self.multiples(b, search, fuel, depth - 1)?;
                match op {
                    BinaryOp::Add => a.map(b, i128::checked_add),
                    BinaryOp::Sub => a.map(b, i128::checked_sub),
                    _ => a.product(b),
                }
            }
            BinaryOp::Div => {
                search.divides = true;
                quotient.filter(|_| self.is_alike(a, of.t, known) && self.is_alike(b, of.span, known))
            }
            BinaryOp::Shr => {
                quotient.filter(|_| self.is_alike(a, of.t, known) && self.is_bit_of(b, of, known))
            }
            BinaryOp::Shl => {
                let value = self.multiples(a, search, fuel, depth - 1)?;
                if let Some(n) = b.as_int() {
                    return value.times(1 << few(n, of.scalar)?);
                }
                let (bits, more) = self.bits_and_more(b, of, known)?;
                // A shift by as many bits as the type has, or more, would be another one.
                let range = self.within(bits, known, fuel);
                let limit = Quantity::Const(i128::from(of.scalar.bits()) - i128::from(more));
                let fits = joined(&self.ensure_least(&range, 0)?, &self.ensure(range.high, limit)?);
                search.needs = joined(&joined(&search.needs, &range.needs), &fits);
                value.product(Multiples { span: 1 << more, ..Multiples::default() })
            }
            _ => None,
        }
    }

    /// Returns whether the span is `1 << bits` in the arithmetic of its type.
    fn is_bit_of(&self, bits: &Expr, of: Division<'_>, known: &Known) -> bool {
        let span = self.made(of.span, known);
        let ExprKind::Binary(BinaryOp::Shl, one, by) = &span.kind else { return false };
        integer(span) == Some(of.scalar) && one.as_int() == Some(1) && self.is_alike(by, bits, known)
    }

    /// The span's number of bits, and how many more a shift is by.
    fn bits_and_more<'e>(
        &'e self,
        by: &'e Expr,
        of: Division<'_>,
        known: &'e Known,
    ) -> Option<(&'e Expr, u32)> {
        if self.is_bit_of(by, of, known) {
            return Some((by, 0));
        }
        let ExprKind::Binary(BinaryOp::Add, a, b) = &self.made(by, known).kind else { return None };
        let (bits, more) = if a.as_int().is_some() { (b, a) } else { (a, b) };
        let more = few(more.as_int()?, of.scalar)?;
        self.is_bit_of(bits, of, known).then_some((bits, more))
    }
}

/// A number of bits that the type has.
fn few(n: i128, scalar: Scalar) -> Option<u32> {
    u32::try_from(n).ok().filter(|n| *n < scalar.bits())
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
