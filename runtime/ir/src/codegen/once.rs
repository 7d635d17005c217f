//! Loops that are printed once and compiled twice: without checks that leave, and with all checks.
//!
//! The loop or its body is a lambda. Its parameter `check` is called for each index that a comparison before the loop is about, or for
//! every index. Functions of the header compile it for several types of this parameter (`checks.h`): with indices that are
//! known to be in bounds, with indices that are noted if they are not, and with checks that report the fault at the iteration where
//! Rust fails.

use super::hoisted::starts_below;
use super::known_inside::{Along, Once, Run};
use super::loop_head::{Form, Head};
use super::precedence::ASSIGNMENT;
use super::{Ahead, Printer};
use crate::ir::{Block, Expr, ExprKind, LoopId, RangeLoop, VarId};

/// A loop over a range.
#[derive(Clone, Copy)]
pub(super) struct Ranged<'e> {
    pub id: LoopId,
    pub range: &'e RangeLoop,
    pub body: &'e Block,
}

/// The proofs of a loop's indices.
pub(super) struct Known<'e> {
    pub ahead: Ahead,
    /// Indices that the counter runs along.
    pub along: &'e [Along],
    /// Slices that are read at other indices, and must not be empty.
    pub slices: &'e [VarId],
}

impl Printer<'_> {
    /// Prints a lambda after the beginning of a line, and leaves it open.
    pub(super) fn checked_lambda(
        &mut self,
        before: &str,
        params: &[&str],
        known: &Known<'_>,
        print: impl FnOnce(&mut Self),
    ) {
        self.need(&super::prelude::CHECKS);
        let params: String = params.iter().map(|param| format!(", auto{param}")).collect();
        self.function.open_scope();
        let name = self.function.reserve_unwanted("check");
        self.function.close_scope();
        self.function.open(&format!("{before}[&](auto {name}{params}) {{"));
        self.function.enter(name.clone());
        let around = std::mem::replace(&mut self.function.along, known.along.to_vec());
        self.function.once = Some(Once { name, first: self.first_of(known.slices), ahead: known.ahead });
        print(self);
        self.function.once = None;
        self.function.along = around;
    }

    /// The slice whose greatest index is kept: one whose length fits `int`, if there is one.
    fn first_of(&self, slices: &[VarId]) -> Option<VarId> {
        slices.iter().find(|slice| self.is_short_slice(**slice)).or(slices.first()).copied()
    }

    /// Closes a lambda that is the last argument of a call but for these variables.
    pub(super) fn close_call(&mut self, vars: &[VarId]) {
        let vars: String = vars.iter().map(|var| format!(", {}", self.var(*var))).collect();
        self.function.close(&format!("}}{vars});"));
    }

    /// Prints the body of a loop over a range, which a function of the header calls with each number.
    pub(super) fn each(&mut self, ranged: Ranged<'_>, function: &str, known: &Known<'_>, vars: &[VarId]) {
        let Ranged { id, range, body } = ranged;
        let before = self.called_with(ranged, &format!("{function}<"), known);
        self.function.open_scope();
        let counter = self.function.declare(range.var);
        self.checked_lambda(&before, &[&format!(" {counter}")], known, |printer| {
            printer.note_loop(id, Form::Plain, Some(known.ahead));
            printer.note_counter(range);
            printer.statements(body);
        });
        self.close_call(vars);
        self.function.close_scope();
    }

    /// The beginning of a call of a function, which this is the beginning of, with the ends of a range.
    pub(super) fn called_with(&mut self, ranged: Ranged<'_>, function: &str, known: &Known<'_>) -> String {
        let range = ranged.range;
        let scalar = super::types::scalar_of(&self.function.var(range.var).ty);
        let limit = self.limit(known);
        // The arguments of a call are evaluated in any order.
        let ends = [&range.start, &range.end];
        let both_fail = ends.iter().all(|part| self.may_fail(part));
        let are_pure = ends.iter().all(|part| self.is_all_pure(part));
        let head = match limit.is_none() || both_fail || !are_pure {
            true => self.pinned(range),
            false => {
                let [start, end] = [&range.start, &range.end].map(|part| self.expr(part));
                Head { form: Form::Plain, start, end, step: None, scalar }
            }
        };
        let limit = limit.unwrap_or_else(|| self.inside(known, starts_below(range), &head));
        let [start, end] = [&head.start, &head.end].map(|part| part.clone().at(ASSIGNMENT));
        format!("{function}{}>({start}, {end}, {limit}, ws_fault, ", super::types::scalar(scalar))
    }

    /// Comparisons before a loop, joined.
    pub(super) fn inside(&mut self, known: &Known<'_>, may_start_below: bool, head: &Head<'_>) -> String {
        let mut all = self.are_inside(known.along, may_start_below, head);
        all.extend(self.are_some(known.slices));
        all.join(" && ")
    }

    /// The length that a function of the header compares with a loop's ends, or a condition that does not rest on these; nothing if
    /// other comparisons are needed.
    pub(super) fn limit(&mut self, known: &Known<'_>) -> Option<String> {
        let mut lengths: Vec<String> = Vec::new();
        for own in known.along {
            let Run::Sum { offset: None, .. } = own.run else { return None };
            let length = self.len_of(own.of);
            if !lengths.contains(&length) {
                lengths.push(length);
            }
        }
        let some = self.are_some(known.slices).join(" && ");
        let length = match lengths.as_slice() {
            [] => return Some(some),
            [one] => one.clone(),
            all => format!("ws_least({})", all.join(", ")),
        };
        Some(if some.is_empty() { length } else { format!("{some} ? {length} : 0ull") })
    }

    /// The comparison of an index by the parameter of the lambda around it, if that compares it.
    pub(super) fn compared_once(
        &self,
        base: &Expr,
        index: &Expr,
        subscript: &str,
        (site, len): (usize, &str),
    ) -> Option<String> {
        let Once { name, first, ahead } = self.function.once.as_ref()?;
        if self.is_along(base, index) {
            return Some(format!("{name}({subscript}, {len}, {site})"));
        }
        let is_first = matches!(base.kind, ExprKind::Var(slice) if Some(slice) == *first);
        let is_short = matches!(base.kind, ExprKind::Var(slice) if self.is_short_slice(slice));
        let len = if is_short { format!("ws_int({len})") } else { len.to_owned() };
        let parts = format!("({subscript}, {len}, {site})");
        let compared = if is_first { format!("{name}.any{parts}") } else { format!("{name}.other{parts}") };
        (*ahead != Ahead::Compared).then_some(compared)
    }
}
