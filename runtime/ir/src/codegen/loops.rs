//! Loops: exact for every bound, and plain where that is exact.

use super::loop_head::{Form, Head};
use super::once::Ranged;
use super::precedence::{ASSIGNMENT, Text};
use super::stmt::is_fixed;
use super::{Ahead, PrintedLoop, Printer};
use crate::ir::{BinaryOp, Block, Expr, ExprKind, LoopId, Module, RangeLoop, Scalar, StmtKind, visit};

impl Printer<'_> {
    pub(super) fn while_(&mut self, id: LoopId, cond: &Expr, unroll: Option<Option<u32>>, body: &Block) {
        if unroll.is_none() && self.while_twice(id, cond, body) {
            return;
        }
        self.unroll(unroll.or(once_at_a_time(body)));
        self.while_once(id, cond, body);
    }

    /// Prints a loop, without looking at what it is.
    pub(super) fn while_once(&mut self, id: LoopId, cond: &Expr, body: &Block) {
        let head = match cond.as_bool() {
            Some(true) => "for (;;) {".to_owned(),
            _ => format!("while ({}) {{", self.expr(cond).text),
        };
        if let Some(once) = &self.function.once {
            self.note_loop(id, Form::Plain, Some(once.ahead));
        }
        self.loop_(id, &head, None, body, None);
    }

    /// Prints a loop with its labels, if something jumps to them.
    fn loop_(&mut self, id: LoopId, head: &str, first: Option<String>, body: &Block, last: Option<String>) {
        self.function.open(head);
        if let Some(first) = first {
            self.function.push(&first);
        }
        self.function.loops.push(id);
        let start = self.function.line_count();
        self.statements(body);
        self.function.loops.pop();
        self.element_fault(id, start);
        let next = format!("loop_{}_next", id.0);
        if self.function.labels.contains(&next) {
            // The label stands outside a scope of its own, because no jump may enter one.
            self.function.wrap_from(start);
            self.function.push(&format!("{next}:;"));
        }
        if let Some(last) = last {
            self.function.push(&last);
        }
        self.function.close("}");
        let end = format!("loop_{}_end", id.0);
        if self.function.labels.contains(&end) {
            self.function.push(&format!("{end}:;"));
        }
    }

    /// Prints how checks report the failing element, in a loop over a thread's elements. The lines of its body begin at
    /// `start`.
    fn element_fault(&mut self, id: LoopId, start: usize) {
        let own = element_of(self.module, id).filter(|_| self.function.mentions(start, "ws_fault"));
        if let Some(element) = own {
            let element = self.argument(element);
            let body = self.function.split_lines(start);
            self.function.push(&format!("ws_Fault* ws_fault = ws_at_element(ws_record, {element});"));
            self.function.extend_lines(body);
        }
    }

    pub(super) fn for_(&mut self, id: LoopId, range: &RangeLoop, body: &Block) {
        // The elements of a thread have a record of a failure each, so no check before their loop can write it.
        if element_of(self.module, id).is_none() && self.twice(Ranged { id, range, body }) {
            return;
        }
        // A brace around the loop holds the parts of the head besides the counter.
        let scalar = super::types::scalar_of(&self.function.var(range.var).ty);
        let form = self.form(range, scalar, !continues(body, id));
        let reads_start = range.reversed || matches!(form, Form::Counted | Form::Tested);
        let again = [Some(&range.end), Some(&range.start).filter(|_| reads_start), range.step.as_ref()];
        let bound = again.into_iter().flatten().any(|part| !self.is_fixed(part));
        // The part that fails first in Rust fails first here.
        let reads_start = reads_start || bound && self.may_fail(&range.start);
        let braces = bound
            || match form {
                Form::Counted => scalar != Scalar::U64,
                Form::Flagged => range.inclusive,
                Form::Plain | Form::Wide | Form::Tested => false,
            };
        if braces {
            self.function.open("{");
        }
        let start = match &range.start {
            start if reads_start => self.once(start, "start"),
            start => self.expr(start),
        };
        let end = self.once(&range.end, "end");
        let step = range.step.as_ref().map(|step| (step, self.once(step, "step")));
        let head = Head { form, start, end, step, scalar };
        let guard = if form == Form::Tested { self.guard_of(range, &head) } else { None };
        if let Some(guard) = &guard {
            self.function.open(&format!("if ({guard}) {{"));
        }
        self.range_loop(id, range, body, &head);
        if guard.is_some() {
            self.function.close("}");
        }
        if braces {
            self.function.close("}");
        }
    }

    /// A loop over a range whose ends are printed.
    pub(super) fn range_loop(&mut self, id: LoopId, range: &RangeLoop, body: &Block, head: &Head<'_>) {
        self.note_loop(id, head.form, self.function.once.as_ref().map(|once| once.ahead));
        let (head, first, last) = self.for_head(range, head);
        let steps = range.step.as_ref().is_some_and(|step| step.as_int().is_none());
        self.unroll(range.unroll.or(once_at_a_time(body).filter(|_| steps)));
        self.note_counter(range);
        self.loop_(id, &head, first, body, last);
        self.function.close_scope();
    }

    /// Notes how a loop is printed, and, if it is compiled twice, why the first version needs no checks.
    pub(super) fn note_loop(&mut self, id: LoopId, form: Form, ahead: Option<Ahead>) {
        let Some(function) = self.function.of.map(|function| function.name.clone()) else { return };
        let is_plain = matches!(form, Form::Plain | Form::Wide);
        match self.loops.iter_mut().find(|known| known.id == id && known.function == function) {
            Some(known) => {
                (known.is_plain, known.ahead) = (known.is_plain && is_plain, known.ahead.or(ahead))
            }
            None => self.loops.push(PrintedLoop { function, id, is_plain, ahead }),
        }
    }

    /// A part of a range that the head of its loop reads in each iteration: evaluated here, unless nothing changes it.
    pub(super) fn once(&mut self, part: &Expr, name: &str) -> Text {
        let text = self.expr(part);
        if self.is_fixed(part) {
            return text;
        }
        let (ty, name) = (self.ty(&part.ty), self.function.reserve(name));
        self.function.push(&format!("const {ty} {name} = {};", text.at(ASSIGNMENT)));
        Text::primary(name)
    }

    /// Returns whether an expression has one value from here on: its variables are in scope, and never change.
    pub(super) fn is_fixed(&self, part: &Expr) -> bool {
        is_fixed(part, &|v| self.function.is_declared(v) && !self.function.var(v).mutable)
    }

    /// Notes the counter's range for the body.
    pub(super) fn note_counter(&mut self, range: &RangeLoop) {
        if self.function.var(range.var).mutable {
            return;
        }
        if !range.inclusive {
            self.function.below_max.insert(range.var);
        }
        self.function.count(range);
    }

    pub(super) fn unroll(&mut self, unroll: Option<Option<u32>>) {
        match unroll {
            Some(None) => self.function.push("#pragma unroll"),
            Some(Some(n)) => self.function.push(&format!("#pragma unroll {n}")),
            None => {}
        }
    }
}

/// The number of the element that an iteration does, in a loop over the elements of a coarsened kernel's thread.
fn element_of(module: &Module, id: LoopId) -> Option<&Expr> {
    let own = module.coarsened.as_ref()?.loops.iter().find(|(of, _)| *of == id);
    own.map(|(_, element)| element)
}

/// Returns whether something in a loop's body goes on with the loop's next iteration.
fn continues(body: &Block, id: LoopId) -> bool {
    let mut found = false;
    visit::stmts(body, &mut |stmt| found |= matches!(&stmt.kind, StmtKind::Continue(of) if *of == id));
    found
}

/// Asks not to unroll a loop that fills memory with a constant, by a step that is not constant. Such a loop waits for
/// nothing, and an unrolled one needs a division to count its iterations.
fn once_at_a_time(body: &Block) -> Option<Option<u32>> {
    let (mut fills, mut is_plain) = (false, true);
    for stmt in &body.stmts {
        let StmtKind::Assign { place, op, value } = &stmt.kind else { return None };
        is_plain &= match (&place.kind, op, &value.kind) {
            (ExprKind::Index { .. }, None, ExprKind::Const(_)) => {
                fills = true;
                !place.is_in_variable()
            }
            (ExprKind::Var(_), Some(BinaryOp::Add), _) => value.as_int().is_none(),
            (ExprKind::Var(_), None, ExprKind::Exact(sum)) => match &sum.kind {
                ExprKind::Binary(BinaryOp::Add, _, by) => by.as_int().is_none(),
                _ => false,
            },
            _ => false,
        };
    }
    (fills && is_plain).then_some(Some(1))
}
