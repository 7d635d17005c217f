//! Claims about variables where an iteration begins, as of a ring's next place, which goes back to its start where it meets the ring's
//! end: `at += 1; if at == n { at = 0 }`.
//!
//! In between, such a variable has a value that it never has where an iteration begins. The claim is what a comparison in the loop
//! suggests; it holds if it does before the loop, and one iteration keeps it.

use super::elide::Walk;
use super::invariant::Entry;
use crate::ir::{Block, Condition, Expr, ExprKind, LoopId, Quantity, Scalar, visit};
use crate::ranges::{Known, Range, integer, joined, same};

/// Claims that are tried about one variable.
const MOST_CLAIMS: usize = 2;

/// A number that a variable is compared with in a loop, and what it rests on.
type Limit = (Quantity, Vec<Condition>);

impl Walk<'_> {
    /// The ranges of variables that a loop assigns, where its iterations begin and where it ends without a `break`.
    ///
    /// `before` is what they were before the loop; all that holds in each iteration is known already.
    pub(super) fn heads(
        &mut self,
        id: LoopId,
        cond: Option<&Expr>,
        body: &Block,
        before: &[Entry],
    ) -> Vec<(Expr, Range)> {
        let mut found = Vec::new();
        if visit::continues(body, id) {
            return found;
        }
        for (place, entry) in before {
            let Some(entry) = entry.clone().map(Range::lasting) else { continue };
            let limits = self.limits(place, body);
            let claims = limits.into_iter().take(MOST_CLAIMS);
            found.extend(claims.filter_map(|limit| self.head(cond, body, (place, &entry), limit)));
        }
        found
    }

    /// The claim that a variable is less than a number where an iteration begins, if that can be kept.
    fn head(
        &mut self,
        cond: Option<&Expr>,
        body: &Block,
        (place, entry): (&Expr, &Range),
        (limit, needs): Limit,
    ) -> Option<(Expr, Range)> {
        let (scalar, most) = (integer(place)?, limit.clone().plus(-1));
        if self.is_spent() || self.scope.range(place, &self.known).high.is_below(&limit) {
            return None;
        }
        let begins = self.scope.ensure(entry.high.clone(), limit.clone())?;
        let needs = [&entry.needs, &begins].into_iter().fold(needs, |all, more| joined(&all, more));
        let held = Range::at_most(scalar, most.clone(), needs);
        let end = self.end_of(cond, body, (place, held.clone()));
        let kept = joined(&self.scope.ensure(end.high, limit)?, &end.needs);
        Some((place.clone(), held.needing(&kept)))
    }

    /// The numbers that a launch knows and a variable is compared with in a loop.
    fn limits(&self, place: &Expr, body: &Block) -> Vec<Limit> {
        let mut all: Vec<Limit> = Vec::new();
        visit::exprs(body, &mut |e| {
            let ExprKind::Binary(op, a, b) = &e.kind else { return };
            let other = if same(a, place) { b } else { a };
            if !op.is_comparison() || !same(a, place) && !same(b, place) || integer(other).is_none() {
                return;
            }
            let value = self.scope.range(other, &self.known).value();
            all.extend(value.filter(|(limit, _)| all.iter().all(|(known, _)| known != limit)));
        });
        all
    }

    /// The range of a variable at the end of an iteration that begins in a range.
    fn end_of(&mut self, cond: Option<&Expr>, body: &Block, (place, held): (&Expr, Range)) -> Range {
        let begins = |known: &mut Known| known.learn(place, held);
        let end = self.after_iteration(cond, body, begins, |walk| walk.range_at(place));
        end.unwrap_or_else(|| Range::of_type(Scalar::U64)).lasting()
    }
}
