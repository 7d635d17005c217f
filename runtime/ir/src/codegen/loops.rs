//! Loops: exact for every bound, and plain where that is exact.

use super::Printer;
use super::precedence::{ASSIGNMENT, Text, UNARY};
use super::stmt::is_fixed;
use crate::ir::{BinaryOp, Block, Expr, ExprKind, LoopId, RangeLoop, Scalar};

impl Printer<'_> {
    pub(super) fn while_(&mut self, id: LoopId, cond: &Expr, body: &Block) {
        let head = match cond.as_bool() {
            Some(true) => "for (;;) {".to_owned(),
            _ => format!("while ({}) {{", self.expr(cond).text),
        };
        self.loop_(id, &head, None, body);
    }

    /// Prints a loop with its labels, if something jumps to them.
    fn loop_(&mut self, id: LoopId, head: &str, first: Option<String>, body: &Block) {
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
            // The label stands outside a scope of its own, so that no jump enters one.
            self.function.wrap_from(start);
            self.function.push(&format!("{next}:;"));
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
        // What the head needs besides the counter stands in a brace around the loop.
        let scalar = super::types::scalar_of(&self.function.var(range.var).ty);
        let again = [Some(&range.end), Some(&range.start).filter(|_| range.reversed), range.step.as_ref()];
        let bound = again.into_iter().flatten().any(|part| !self.is_fixed(part));
        let braces = bound || self.needs_more(range, scalar);
        if braces {
            self.function.open("{");
        }
        let start = match &range.start {
            start if range.reversed => self.once(start, "start"),
            start => self.expr(start),
        };
        let end = self.once(&range.end, "end");
        let step = range.step.as_ref().map(|step| self.once(step, "step"));
        let head = Head { start: start.at(ASSIGNMENT), end, step, scalar };
        let (head, first) = self.for_head(range, head);
        self.unroll(range.unroll);
        self.note_counter(range);
        self.loop_(id, &head, first, body);
        self.function.close_scope();
        if braces {
            self.function.close("}");
        }
    }

    /// A part of a range that the head of its loop reads in each iteration: evaluated here, unless nothing changes it.
    fn once(&mut self, part: &Expr, name: &str) -> Text {
        let text = self.expr(part);
        if self.is_fixed(part) {
            return text;
        }
        let (ty, name) = (self.ty(&part.ty), self.function.reserve(name));
        self.function.push(&format!("const {ty} {name} = {};", text.at(ASSIGNMENT)));
        Text::primary(name)
    }

    fn is_fixed(&self, part: &Expr) -> bool {
        is_fixed(part, &|v| !self.function.var(v).mutable)
    }

    /// What the body may know of the counter.
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

    /// The `for (…) {` of a range, and a first line of its body if it needs one.
    fn for_head(&mut self, range: &RangeLoop, head: Head) -> (String, Option<String>) {
        self.function.open_scope();
        let ty = self.function.var(range.var).ty.clone();
        let mutable = self.function.var(range.var).mutable;
        let printed = self.ty(&ty);
        // A loop variable that the body assigns is a copy of the counter.
        let (i, copy) = if mutable {
            let counter = self.function.reserve("counter");
            let name = self.function.declare(range.var);
            (counter.clone(), Some(format!("{printed} {name} = {counter};")))
        } else {
            (self.function.declare(range.var), None)
        };
        let Head { start, end, scalar, .. } = &head;
        let compare = |op| Text::binary(op, Text::primary(i.clone()), end.clone()).text;
        let end_at = end.clone().at(UNARY);
        let head = if range.reversed {
            self.reversed(range, &printed, &i, &head)
        } else if let Some(step) = &range.step {
            self.stepped(range, step, &printed, &i, &head)
        } else if range.inclusive {
            if self.ends_below_max(range, *scalar) {
                let bound = compare(BinaryOp::Le);
                format!("for ({printed} {i} = {start}; {bound}; ++{i}) {{")
            } else {
                let more = self.more(range, &head);
                format!("for ({printed} {i} = {start}; {more}; {more} = {i} < {end_at} && (++{i}, true)) {{")
            }
        } else {
            let bound = compare(BinaryOp::Lt);
            format!("for ({printed} {i} = {start}; {bound}; ++{i}) {{")
        };
        if range.reversed && !range.inclusive {
            let step = format!("--{i};");
            return (head, Some(copy.map_or(step.clone(), |c| format!("{step} {c}"))));
        }
        (head, copy)
    }

    /// Declares whether an inclusive range has a number; one from the least of its type on always has.
    fn more(&mut self, range: &RangeLoop, head: &Head) -> String {
        let more = self.function.reserve("more");
        let least = head.scalar.int_range().map(|(low, _)| low);
        let some = match range.start.as_int() {
            Some(n) if Some(n) == least => "true".to_owned(),
            _ => format!("{} <= {}", head.start, head.end.clone().at(UNARY)),
        };
        self.function.push(&format!("bool {more} = {some};"));
        more
    }

    fn reversed(&mut self, range: &RangeLoop, printed: &str, i: &str, head: &Head) -> String {
        let (start, end) = (&head.start, head.end.clone().at(UNARY));
        if range.inclusive {
            let more = self.more(range, head);
            return format!(
                "for ({printed} {i} = {end}; {more}; {more} = {i} > {start} && (--{i}, true)) {{"
            );
        }
        format!("for ({printed} {i} = {end}; {i} > {start};) {{")
    }

    fn stepped(&mut self, range: &RangeLoop, step: &Expr, printed: &str, i: &str, head: &Head) -> String {
        let (start, end, scalar) = (&head.start, head.end.clone().at(UNARY), head.scalar);
        let wide_step = head.step.clone().unwrap_or_else(|| Text::primary("1"));
        let compare = if range.inclusive { "<=" } else { "<" };
        let step_text = self.step_text(step, wide_step.clone(), scalar);
        if self.cannot_wrap(range, &range.end, step, scalar) {
            let step = step_text.at(ASSIGNMENT);
            return format!("for ({printed} {i} = {start}; {i} {compare} {end}; {i} += {step}) {{");
        }
        let (step_text, wide_step) = (step_text.at(UNARY), wide_step.at(UNARY));
        // What is left is compared with the step before it is taken, so the counter never wraps.
        let wide = if scalar.bits() == 64 { "unsigned long long" } else { "unsigned int" };
        let left =
            if wide == printed { format!("{end} - {i}") } else { format!("({wide})({end}) - ({wide}){i}") };
        if !range.inclusive {
            let sum = if scalar.bits() >= 32 {
                format!("{i} + {step_text}")
            } else {
                format!("({printed})({i} + {step_text})")
            };
            return format!(
                "for ({printed} {i} = {start}; {i} < {end}; {i} = {left} > {wide_step} ? {sum} : {end}) {{"
            );
        }
        let more = self.more(range, head);
        format!(
            "for ({printed} {i} = {start}; {more}; {more} = {left} >= {wide_step} && ({i} = ({printed})({i} + {step_text}), true)) {{"
        )
    }

    /// Whether the end of a range is less than the largest of its type, so that one more does not wrap.
    fn ends_below_max(&self, range: &RangeLoop, scalar: Scalar) -> bool {
        let Some((_, high)) = scalar.int_range() else { return false };
        // No loop lives to see the end of 64 bits from the lower half of them.
        let endless = scalar.bits() == 64 && range.start.as_int().is_some_and(|n| n <= high / 2);
        endless
            || matches!(&range.end.kind, ExprKind::Var(id) if self.function.below_max.contains(id))
            || self.function.interval(&range.end).is_some_and(|(_, n)| n < high)
    }

    /// Whether the loop needs a flag that says whether it goes on.
    fn needs_more(&self, range: &RangeLoop, scalar: Scalar) -> bool {
        match &range.step {
            Some(step) => range.inclusive && !self.cannot_wrap(range, &range.end, step, scalar),
            None => range.inclusive && (range.reversed || !self.ends_below_max(range, scalar)),
        }
    }

    /// Whether `i += step` stays in range up to the first value that ends the loop.
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

    /// The step in the counter's type; `wide` is its text.
    fn step_text(&mut self, step: &Expr, wide: Text, scalar: Scalar) -> Text {
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
            _ if scalar == Scalar::U64 => wide,
            _ => Text::cast(super::types::scalar(scalar), wide),
        }
    }
}

/// What the head of a loop over a range is made of, each part evaluated before the first iteration.
struct Head {
    start: String,
    end: Text,
    step: Option<Text>,
    /// The counter's type.
    scalar: Scalar,
}
