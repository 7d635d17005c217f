//! The ranges of builtins' results.

use super::known::Known;
use super::range::{Range, greater, integer, joined, lesser};
use super::scope::FunctionScope;
use crate::ir::{BinaryOp, Expr, ExprKind, Quantity, ResultRange, Scalar};

impl FunctionScope<'_> {
    /// The range of a builtin's result, by its facts.
    pub(super) fn given(
        &self,
        result: ResultRange,
        args: &[Expr],
        scalar: Scalar,
        known: &Known,
        fuel: &mut usize,
    ) -> Option<Range> {
        match (result, args) {
            (ResultRange::Least | ResultRange::Greatest, [a, b]) => {
                let (a, b) = (self.within(a, known, fuel), self.within(b, known, fuel));
                Some(if result == ResultRange::Least { lesser(a, b) } else { greater(a, b) })
            }
            (ResultRange::Middle, [a, b]) => {
                // Rounded down, it is not the greater one.
                for (low, high) in [(a, b), (b, a)] {
                    if scalar.is_unsigned()
                        && let Some(below) = self.is_below(low, high, known)
                    {
                        return Some(self.amid(low, high, known, fuel).needing(&below));
                    }
                }
                let (a, b) = (self.within(a, known, fuel), self.within(b, known, fuel));
                let Range { low, low_needs, .. } = lesser(a.clone(), b.clone());
                let Range { high, needs, .. } = greater(a, b);
                Some(Range { low, high, needs, low_needs })
            }
            (ResultRange::Clamped, [value, least, most]) => {
                let [value, least, most] = [value, least, most].map(|e| self.within(e, known, fuel));
                // If `least` is above `most`, the result is `most`.
                Some(lesser(greater(value, least), most))
            }
            (ResultRange::UpToFirst | ResultRange::Remaining, [first, ..])
                if integer(first)?.is_unsigned() =>
            {
                let range = self.within(first, known, fuel);
                Some(Range { low: Quantity::Const(0), low_needs: Vec::new(), ..range })
            }
            (ResultRange::Modulo, [of, by]) => {
                let exceeds = self.exceeds_positive(by, known, *fuel);
                let [of, by] = [of, by].map(|e| self.within(e, known, fuel));
                let by = if exceeds { by.above_zero() } else { by };
                // What is negative is raised by the divisor.
                let is_positive = scalar.is_unsigned() || of.low.minimum() >= 0 && of.low_needs.is_empty();
                let of = if is_positive { of } else { Range::of_type(scalar) };
                let most = Range { low: Quantity::Const(0), low_needs: Vec::new(), ..of };
                self.binary(BinaryOp::Rem, most, by, scalar, false)
            }
            (ResultRange::QuotientUp, [of, by]) if scalar.is_unsigned() => {
                let [of, by] = [of, by].map(|e| self.within(e, known, fuel));
                let (least, most) = (by.low.as_const()?, by.high.as_const());
                let (least, most) = (Some(least).filter(|n| *n > 0)?, most.filter(|n| *n > 0));
                let up = |of: Quantity, by: i128| of.plus(by - 1).quotient(by);
                let low = most.map_or(Quantity::Const(0), |most| up(of.low, most));
                let low_needs = joined(&of.low_needs, &by.needs);
                let needs = joined(&of.needs, &by.low_needs);
                Some(Range { low, high: up(of.high, least), needs, low_needs })
            }
            (ResultRange::UpToBits, [first, ..]) => Some(Range::numbers(0, integer(first)?.bits().into())),
            (ResultRange::Zeros | ResultRange::BelowBits, [of]) => {
                let bits = integer(of)?.bits().into();
                let range = self.within(of, known, fuel);
                match result {
                    _ if range.low.minimum() > 0 && range.low_needs.is_empty() => {
                        Some(Range::numbers(0, bits - 1))
                    }
                    ResultRange::Zeros => Some(Range::numbers(0, bits)),
                    // On a GPU, the logarithm of zero is some number.
                    _ => None,
                }
            }
            (ResultRange::Within(low, high), _) => Some(Range::numbers(low.into(), high.into())),
            _ => None,
        }
    }

    /// The two numbers of which an expression is the lesser or the greater one, as `which` says.
    pub(crate) fn chosen<'e>(&'e self, e: &'e Expr, which: ResultRange) -> Option<[&'e Expr; 2]> {
        match &self.look(e).kind {
            ExprKind::Builtin { op, args, .. } if op.facts.result == which => match &args[..] {
                [a, b] => Some([a, b]),
                _ => None,
            },
            _ => None,
        }
    }

    /// Both branches of `if … { … } else { … }`, each with what is known in it.
    pub(crate) fn branches<'e>(&self, e: &'e Expr, known: &Known) -> Option<[(&'e Expr, Known); 2]> {
        let ExprKind::Select(cond, a, b) = &e.kind else { return None };
        Some([(a, true), (b, false)].map(|(branch, outcome)| {
            let mut facts = known.clone();
            facts.extend(known.implied(cond, outcome, self));
            (&**branch, facts)
        }))
    }
}
