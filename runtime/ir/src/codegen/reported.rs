//! Loops whose only check is reported before them.
//!
//! If each iteration compares its number with a length, checks nothing else, and does nothing that outlives the thread, then
//! the first number out of bounds is known before the loop: nobody can tell when it is reported. Such a loop is
//! printed once, after its check, and compiled once.

use super::known_inside::{Along, Run};
use super::loop_head::Head;
use super::once::Ranged;
use super::precedence::ASSIGNMENT;
use super::{Ahead, Printer, SiteKind, prelude};
use crate::ir::{Expr, ExprKind, Location, Proof, visit};

impl Printer<'_> {
    /// Prints the check of all numbers of a loop, and the loop without it; whether they were printed.
    pub(super) fn reported(&mut self, ranged: Ranged<'_>, along: &[Along]) -> bool {
        let Ranged { id, range, body } = ranged;
        let Some((own, at)) = self.only_check(ranged, along) else { return false };
        let Head { start, end, scalar, .. } = self.pinned(range);
        let head = Head { form: self.form(range, scalar, true), start, end, step: None, scalar };
        self.need(&prelude::CHECKS);
        let (len, site) = (self.len_of(own.of), self.site(SiteKind::Bounds, at));
        let [start, end] = [&head.start, &head.end].map(|part| part.clone().at(ASSIGNMENT));
        let counter = super::types::scalar(scalar);
        self.function.push(&format!("ws_all<{counter}>({start}, {end}, {len}, {site}, ws_fault);"));
        let mut proven = body.clone();
        visit::exprs_mut(&mut proven, &mut |e| {
            if let ExprKind::Index { proof, .. } = &mut e.kind {
                *proof = Proof::Text;
            }
            false
        });
        self.range_loop(id, range, &proven, &head);
        self.note_loop(id, head.form, Some(Ahead::Reported));
        true
    }

    /// The one check of a loop and its place, if every iteration does it with the number of the iteration, and nothing else can
    /// fail or be seen from outside the thread.
    fn only_check<'a>(&self, ranged: Ranged<'_>, along: &'a [Along]) -> Option<(&'a Along, Location)> {
        let Ranged { id, range, body } = ranged;
        let [own] = along else { return None };
        let Run::Sum { offset: None, is_widened } = own.run else { return None };
        // A negative number of 32 bits is another one without a sign.
        let is_told = !is_widened || own.index.ty.scalar().is_some_and(|scalar| scalar.bits() == 64);
        let is_number = is_told && range.step.is_none();
        let is_plain = is_number && self.may_be_twice(id, body) && !super::batches::jumps(body);
        self.only_changes(None, body).filter(|_| is_plain)?;
        let mut checks = Vec::new();
        visit::exprs(body, &mut |e| checks.extend(self.fails_itself(e).then_some(e)));
        let [only] = checks[..] else { return None };
        let ExprKind::Index { base, index, at, .. } = &only.kind else { return None };
        let is_own = self.is_one_of(along, base, index);
        let is_always = body.stmts.iter().flat_map(visit::operands).any(|e| always_evaluates(e, only));
        (is_own && is_always).then_some((own, *at))
    }
}

/// Whether an expression evaluates a part of it each time.
fn always_evaluates(e: &Expr, part: &Expr) -> bool {
    let in_operands = || match e.lazy() {
        Some(lazy) => always_evaluates(lazy.condition, part),
        None => e.any_operand(|operand| always_evaluates(operand, part)),
    };
    std::ptr::eq(e, part) || in_operands()
}
