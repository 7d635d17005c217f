//! Loops: exact for every bound, and plain where that is exact.

use super::precedence::{ASSIGNMENT, Text, UNARY};
use super::stmt::is_fixed;
use super::{Ahead, PrintedLoop, Printer, prelude};
use crate::ir::{BinaryOp, Block, Expr, ExprKind, LoopId, RangeLoop, Scalar, StmtKind, visit};

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
        if self.function.trial.is_some() || !self.function.along.is_empty() {
            self.note_loop(id, Form::Plain);
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

    /// In a loop over a thread's elements, whose lines are those from `start` on: where a check says which element
    /// failed it.
    fn element_fault(&mut self, id: LoopId, start: usize) {
        let Some(coarsened) = &self.module.coarsened else { return };
        let own = coarsened.loops.iter().find(|(of, _)| *of == id);
        if let Some((_, element)) = own.filter(|_| self.function.mentions(start, "ws_fault")) {
            let element = self.argument(element);
            let body = self.function.split_lines(start);
            self.function.push(&format!("ws_Fault* ws_fault = ws_at_element(ws_record, {element});"));
            self.function.extend_lines(body);
        }
    }

    pub(super) fn for_(&mut self, id: LoopId, range: &RangeLoop, body: &Block) {
        if self.twice(id, range, body) {
            return;
        }
        // A brace around the loop holds the parts of the head besides the counter.
        let scalar = super::types::scalar_of(&self.function.var(range.var).ty);
        let form = self.form(range, scalar, !continues(body, id));
        let reads_start = range.reversed || matches!(form, Form::Counted | Form::Tested);
        let again = [Some(&range.end), Some(&range.start).filter(|_| reads_start), range.step.as_ref()];
        let bound = again.into_iter().flatten().any(|part| !self.is_fixed(part));
        // What fails first in Rust fails first here.
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
        self.note_loop(id, head.form);
        let (head, first, last) = self.for_head(range, head);
        let steps = range.step.as_ref().is_some_and(|step| step.as_int().is_none());
        self.unroll(range.unroll.or(once_at_a_time(body).filter(|_| steps)));
        self.note_counter(range);
        self.loop_(id, &head, first, body, last);
        self.function.close_scope();
    }

    /// Notes how a loop is printed; of the versions of a loop, what makes the first one's checks needless.
    fn note_loop(&mut self, id: LoopId, form: Form) {
        let Some(function) = self.function.of.map(|function| function.name.clone()) else { return };
        let ahead = match (&self.function.trial, self.function.along.is_empty()) {
            (Some(_), _) => Some(Ahead::Tried),
            (None, false) => Some(Ahead::Compared),
            (None, true) => None,
        };
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

    pub(super) fn is_fixed(&self, part: &Expr) -> bool {
        is_fixed(part, &|v| !self.function.var(v).mutable)
    }

    /// Notes the counter's range for the body.
    fn note_counter(&mut self, range: &RangeLoop) {
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

    /// The `for (…) {` of a range, and a first and a last line of its body if it needs them.
    fn for_head(&mut self, range: &RangeLoop, head: &Head<'_>) -> (String, Option<String>, Option<String>) {
        self.function.open_scope();
        let form = head.form;
        let printed = super::types::scalar(head.scalar);
        // A loop variable that the body assigns is a copy of the counter, as is one that is narrower.
        let is_copied = self.function.var(range.var).mutable || form == Form::Wide;
        let (counter, copy) = if is_copied {
            let counter = self.function.reserve("counter");
            let name = self.function.declare(range.var);
            let cast = if form == Form::Wide { format!("({printed})") } else { String::new() };
            (counter.clone(), Some(format!("{printed} {name} = {cast}{counter};")))
        } else {
            (self.function.declare(range.var), None)
        };
        let text = match (form, &head.step) {
            (Form::Plain, _) => self.plain(range, &counter, head),
            (Form::Wide, _) => self.wide(range, &counter, head),
            (Form::Counted, Some((step, once))) => self.counted(range, (step, once), &counter, head),
            (Form::Counted | Form::Flagged, _) => self.flagged(range, &counter, head),
            (Form::Tested, _) => {
                let (text, last) = tested(range, &counter, head);
                return (text, copy, Some(last));
            }
        };
        if range.reversed && !range.inclusive && !(form == Form::Plain && self.descends(range, head.scalar)) {
            let step = format!("--{counter};");
            return (text, Some(copy.map_or(step.clone(), |c| format!("{step} {c}"))), None);
        }
        (text, copy, None)
    }

    /// The plainest form that is exact, and that compilers know the number of iterations of.
    pub(super) fn form(&self, range: &RangeLoop, scalar: Scalar, reaches_end: bool) -> Form {
        if range.exact {
            return Form::Plain;
        }
        let is_narrow = scalar.bits() < 64;
        let Some(step) = &range.step else {
            return match () {
                () if !range.inclusive => Form::Plain,
                () if range.reversed && self.starts_above_min(range, scalar) => Form::Plain,
                () if !range.reversed && self.ends_below_max(range, scalar) => Form::Plain,
                () if reaches_end => Form::Tested,
                () if is_narrow => Form::Wide,
                () => Form::Flagged,
            };
        };
        let Some((least, most)) = self.function.interval(step) else { return Form::Flagged };
        let high = |e: &Expr| self.function.interval(e).map_or(i128::MAX, |(_, high)| high);
        let (start, end) = (high(&range.start), high(&range.end));
        // The counter of a wide loop takes nothing greater: a step past the end, or the start of an empty range.
        let fits = end.saturating_add(most).max(start) <= i64::MAX.into();
        let is_signed = !scalar.is_unsigned() || range.end.as_int().is_some();
        match () {
            () if is_signed && self.cannot_wrap(range, &range.end, step, scalar) => Form::Plain,
            () if fits && scalar == Scalar::I64 => Form::Plain,
            () if fits => Form::Wide,
            () if least > i128::from(range.inclusive) => Form::Counted,
            () => Form::Flagged,
        }
    }

    fn plain(&mut self, range: &RangeLoop, i: &str, head: &Head<'_>) -> String {
        let (start, printed) = (head.start.clone().at(ASSIGNMENT), super::types::scalar(head.scalar));
        if range.reversed {
            let (start, end) = (head.start.clone().at(UNARY), head.end.clone().at(UNARY));
            return match range.inclusive {
                true => format!("for ({printed} {i} = {end}; {i} >= {start}; --{i}) {{"),
                false if self.descends(range, head.scalar) => {
                    let last = match range.end.as_int() {
                        Some(end) => (end - 1).to_string(),
                        None => format!("{end} - 1"),
                    };
                    format!("for ({printed} {i} = {last}; {i} >= {start}; --{i}) {{")
                }
                false => format!("for ({printed} {i} = {end}; {i} > {start};) {{"),
            };
        }
        let compare = if range.inclusive { BinaryOp::Le } else { BinaryOp::Lt };
        let bound = Text::binary(compare, Text::primary(i.to_owned()), head.end.clone()).text;
        let next = match &head.step {
            Some((step, once)) => {
                format!("{i} += {}", self.step_text((step, once), head.scalar).at(ASSIGNMENT))
            }
            None => format!("++{i}"),
        };
        format!("for ({printed} {i} = {start}; {bound}; {next}) {{")
    }

    /// Whether a counter may go down from the last number to below the first: neither is the least of a signed type.
    ///
    /// Compilers unroll a loop that counts in its head.
    fn descends(&self, range: &RangeLoop, scalar: Scalar) -> bool {
        let least = scalar.int_range().map_or(0, |(least, _)| least);
        let ends_above = self.function.interval(&range.end).is_some_and(|(low, _)| low > least);
        !scalar.is_unsigned() && ends_above && self.starts_above_min(range, scalar)
    }

    /// A counter with more bits than the range, or a signed one for an unsigned range: it passes the end without wrapping.
    ///
    /// Compilers unroll loops over signed counters, as those cannot wrap.
    fn wide(&mut self, range: &RangeLoop, i: &str, head: &Head<'_>) -> String {
        let [start, end] = [(&range.start, &head.start), (&range.end, &head.end)]
            .map(|(part, text)| self.unwidened(part).unwrap_or_else(|| text.clone()));
        // The other side of the counter's comparison must be signed too.
        let [start, end] = match range.reversed {
            true => [signed(&range.start, start), end],
            false => [start, signed(&range.end, end)],
        };
        let counter = || Text::primary(i.to_owned());
        let (first, last, next) = match (range.reversed, &head.step) {
            (true, _) => (end, Text::binary(BinaryOp::Ge, counter(), start), format!("--{i}")),
            (false, step) => {
                let compare = if range.inclusive { BinaryOp::Le } else { BinaryOp::Lt };
                let next = step
                    .as_ref()
                    .map(|(step, once)| format!("{i} += {}", self.signed_step((step, once), head.scalar)));
                let last = Text::binary(compare, counter(), end);
                (start, last, next.unwrap_or_else(|| format!("++{i}")))
            }
        };
        format!("for (long long {i} = {}; {}; {next}) {{", first.at(ASSIGNMENT), last.text)
    }

    /// The step of a signed counter, as an `int` where it is one.
    fn signed_step(&mut self, (step, once): (&Expr, &Text), scalar: Scalar) -> String {
        if step.as_int().is_some() {
            return self.step_text((step, once), scalar).at(ASSIGNMENT);
        }
        let fits = self.function.interval(step).is_some_and(|(_, most)| most <= i32::MAX.into());
        let text = self.unwidened(step).unwrap_or_else(|| once.clone());
        Text::cast(if fits { "int" } else { "long long" }, text).at(ASSIGNMENT)
    }

    /// The operand of a widening cast that keeps every value, where nothing changes the operand.
    fn unwidened(&mut self, part: &Expr) -> Option<Text> {
        let ExprKind::Cast(inner) = &part.kind else { return None };
        let (from, to) = inner.ty.scalar().zip(part.ty.scalar())?;
        let keeps = from.is_unsigned() && from.bits() < to.bits() && self.is_fixed(part);
        keeps.then(|| self.expr(inner))
    }

    /// The loop counts the iterations that are left beside the counter, which may wrap once there are none.
    fn counted(&mut self, range: &RangeLoop, step: (&Expr, &Text), i: &str, head: &Head<'_>) -> String {
        let piece = if range.inclusive { &prelude::STEPS_TO } else { &prelude::STEPS };
        self.need(piece);
        let left = self.function.reserve("left");
        let [first, end, by] = [(&range.start, &head.start), (&range.end, &head.end), step]
            .map(|(part, text)| self.unwidened(part).unwrap_or_else(|| text.clone()));
        let (printed, next) =
            (super::types::scalar(head.scalar), self.step_text(step, head.scalar).at(ASSIGNMENT));
        let [start, by] = [&first, &by].map(|text| text.clone().at(ASSIGNMENT));
        if head.scalar == Scalar::U64 {
            let steps = format!("{}({start}, {}, {by})", piece.name, end.at(ASSIGNMENT));
            return format!(
                "for ({printed} {i} = {start}, {left} = {steps}; {left} > 0; --{left}, {i} += {next}) {{"
            );
        }
        let [first, end] = [first, end].map(|text| text.at(UNARY));
        let (wide, compare) = ("(unsigned long long)", if range.inclusive { "<=" } else { "<" });
        let distance = format!("{wide}({end}) - {wide}({first})");
        self.function.push(&format!(
            "unsigned long long {left} = {first} {compare} {end} ? {}(0, {distance}, {by}) : 0;",
            piece.name
        ));
        // The step after the last iteration may pass the end of a signed type, which no signed sum may do.
        let next = match head.scalar.is_unsigned() {
            true => format!("{i} += {next}"),
            false => format!("{i} = ({printed})({wide}{i} + {by})"),
        };
        format!("for ({printed} {i} = {start}; {left} > 0; --{left}, {next}) {{")
    }

    /// A flag says whether the loop goes on: of ranges of sixty-four bits that may end with the last number of their type.
    fn flagged(&mut self, range: &RangeLoop, i: &str, head: &Head<'_>) -> String {
        let (start, end) = (head.start.clone().at(UNARY), head.end.clone().at(UNARY));
        let printed = super::types::scalar(head.scalar);
        let Some((_, once)) = &head.step else {
            let more = self.more(range, head);
            let (first, next) = match range.reversed {
                true => (&end, format!("{i} > {start} && (--{i}, true)")),
                false => (&start, format!("{i} < {end} && (++{i}, true)")),
            };
            return format!("for ({printed} {i} = {first}; {more}; {more} = {next}) {{");
        };
        // The loop compares the rest with the step before it takes the step, so the counter never wraps; a step may exceed
        // the signed type.
        let wide = "(unsigned long long)";
        let once = once.clone().at(UNARY);
        let sum = match head.scalar.is_unsigned() {
            true => format!("({printed})({i} + {once})"),
            false => format!("({printed})({wide}{i} + {once})"),
        };
        let left = format!("{wide}({end}) - {wide}{i}");
        if !range.inclusive {
            return format!(
                "for ({printed} {i} = {start}; {i} < {end}; {i} = {left} > {once} ? {sum} : {end}) {{"
            );
        }
        let more = self.more(range, head);
        format!("for ({printed} {i} = {start}; {more}; {more} = {left} >= {once} && ({i} = {sum}, true)) {{")
    }

    /// Declares whether an inclusive range has a number.
    fn more(&mut self, range: &RangeLoop, head: &Head<'_>) -> String {
        let more = self.function.reserve("more");
        let some = self.guard_of(range, head).unwrap_or_else(|| "true".to_owned());
        self.function.push(&format!("bool {more} = {some};"));
        more
    }

    /// The condition under which an inclusive range has a number; a range from the minimum of its type on always has one.
    fn guard_of(&self, range: &RangeLoop, head: &Head<'_>) -> Option<String> {
        let least = head.scalar.int_range().map(|(low, _)| low);
        let is_certain = range.start.as_int().is_some_and(|n| Some(n) == least);
        (!is_certain).then(|| Text::binary(BinaryOp::Le, head.start.clone(), head.end.clone()).text)
    }

    /// Returns whether the start of a range is above the minimum of its type; one less then does not wrap.
    fn starts_above_min(&self, range: &RangeLoop, scalar: Scalar) -> bool {
        let least = scalar.int_range().map(|(least, _)| least);
        self.function.interval(&range.start).zip(least).is_some_and(|((start, _), least)| start > least)
    }

    /// Returns whether the end of a range is below the maximum of its type; one more then does not wrap.
    fn ends_below_max(&self, range: &RangeLoop, scalar: Scalar) -> bool {
        let Some((_, high)) = scalar.int_range() else { return false };
        // No loop lives to see the end of 64 bits from the lower half of them.
        let endless = scalar.bits() == 64 && range.start.as_int().is_some_and(|n| n <= high / 2);
        endless
            || matches!(&range.end.kind, ExprKind::Var(id) if self.function.below_max.contains(id))
            || self.function.interval(&range.end).is_some_and(|(_, n)| n < high)
    }

    /// Returns whether `i += step` stays in range up to the first value that ends the loop.
    fn cannot_wrap(&self, range: &RangeLoop, end: &Expr, step: &Expr, scalar: Scalar) -> bool {
        let Some((_, high)) = scalar.int_range() else { return false };
        if let (Some(end), Some(step)) = (end.as_int(), step.as_int()) {
            return end + step <= high;
        }
        let (Some((_, end)), Some((_, step))) = (self.function.interval(end), self.function.interval(step))
        else {
            return false;
        };
        !range.inclusive && end + step <= high
    }

    /// The step in the counter's type.
    fn step_text(&mut self, (step, once): (&Expr, &Text), scalar: Scalar) -> Text {
        if step.is_spelled() {
            return self.expr(step.before_casts());
        }
        if let Some(n) = step.as_int() {
            return super::literal::literal(crate::ir::ConstValue::Int(n), Scalar::I32);
        }
        match &step.kind {
            ExprKind::Cast(inner) if inner.ty.scalar() == Some(scalar) && self.is_fixed(step) => {
                self.expr(inner)
            }
            _ if scalar == Scalar::U64 => once.clone(),
            _ => Text::cast(super::types::scalar(scalar), once.clone()),
        }
    }
}

/// A loop that ends after its last number, at the end of its body, and so never takes one beyond.
fn tested(range: &RangeLoop, i: &str, head: &Head<'_>) -> (String, String) {
    let printed = super::types::scalar(head.scalar);
    let (first, compare, last, next) = match range.reversed {
        true => (&head.end, BinaryOp::Le, &head.start, "--"),
        false => (&head.start, BinaryOp::Ge, &head.end, "++"),
    };
    let is_last = Text::binary(compare, Text::primary(i.to_owned()), last.clone()).text;
    let text = format!("for ({printed} {i} = {};; {next}{i}) {{", first.clone().at(ASSIGNMENT));
    (text, format!("if ({is_last}) break;"))
}

/// Returns whether something in a loop's body goes on with the loop's next iteration.
fn continues(body: &Block, id: LoopId) -> bool {
    let mut found = false;
    visit::stmts(body, &mut |stmt| found |= matches!(&stmt.kind, StmtKind::Continue(of) if *of == id));
    found
}

/// A number below the upper half of its type, as a signed one.
fn signed(part: &Expr, text: Text) -> Text {
    match part.ty.scalar() {
        Some(Scalar::U64) if part.as_int().is_none() => Text::cast("long long", text),
        _ => text,
    }
}

/// How the head of a loop over a range is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// The loop that a C++ programmer would write: no number that the counter takes is beyond its type.
    Plain,
    /// With a signed counter of sixty-four bits, which the range's own variable is a copy of.
    Wide,
    /// With a count of the iterations that are left.
    Counted,
    /// With a test for the last number at the end of the body, which every iteration reaches or leaves the loop.
    Tested,
    /// With a flag.
    Flagged,
}

/// The parts of the head of a loop over a range, each evaluated before the first iteration.
pub(super) struct Head<'a> {
    pub form: Form,
    pub start: Text,
    pub end: Text,
    pub step: Option<(&'a Expr, Text)>,
    /// The counter's type.
    pub scalar: Scalar,
}

/// That a loop is not unrolled which fills memory with a constant, by a step that is none: nothing is waited for there, and to
/// know how often it steps takes a division.
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
