//! Loops: exact for every bound, and plain where that is exact.

use super::Printer;
use super::bounds::upper;
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

    pub(super) fn for_(&mut self, id: LoopId, range: &RangeLoop, body: &Block) {
        let fixed = is_fixed(&range.end, &|v| !self.function.var(v).mutable);
        // What the head needs besides the counter stands in a brace around the loop.
        let scalar = self.function.var(range.var).ty.scalar().unwrap_or(Scalar::U64);
        let braces = !fixed || self.needs_more(range, scalar);
        if braces {
            self.function.open("{");
        }
        let start = self.expr(&range.start).at(ASSIGNMENT);
        let (end, mut end_text) = (range.end.clone(), self.expr(&range.end));
        if !fixed {
            let (ty, name) = (self.ty(&end.ty), self.function.reserve("end"));
            self.function.push(&format!("const {ty} {name} = {};", end_text.at(ASSIGNMENT)));
            end_text = Text::primary(name);
        }
        let (head, first) = self.for_head(range, &start, &end, end_text);
        self.unroll(range.unroll);
        self.note_counter(range);
        self.loop_(id, &head, first, body);
        self.function.close_scope();
        if braces {
            self.function.close("}");
        }
    }

    /// What the body may know of the counter.
    fn note_counter(&mut self, range: &RangeLoop) {
        if self.function.var(range.var).mutable {
            return;
        }
        if !range.inclusive {
            self.function.below_max.insert(range.var);
        }
        if let Some(interval) = super::ranges::counter(range, &self.function.intervals) {
            self.function.intervals.insert(range.var, interval);
        }
    }

    pub(super) fn unroll(&mut self, unroll: Option<Option<u32>>) {
        match unroll {
            Some(None) => self.function.push("#pragma unroll"),
            Some(Some(n)) => self.function.push(&format!("#pragma unroll {n}")),
            None => {}
        }
    }

    /// The `for (…) {` of a range, and a first line of its body if it needs one.
    fn for_head(
        &mut self,
        range: &RangeLoop,
        start: &str,
        end: &Expr,
        end_text: Text,
    ) -> (String, Option<String>) {
        self.function.open_scope();
        let ty = self.function.var(range.var).ty.clone();
        let mutable = self.function.var(range.var).mutable;
        let scalar = ty.scalar().unwrap_or(Scalar::U64);
        let printed = self.ty(&ty);
        // A loop variable that the body assigns is a copy of the counter.
        let (i, copy) = if mutable {
            let counter = self.function.reserve("counter");
            let name = self.function.declare(range.var);
            (counter.clone(), Some(format!("{printed} {name} = {counter};")))
        } else {
            (self.function.declare(range.var), None)
        };
        let bound = Text::binary(BinaryOp::Lt, Text::primary(i.clone()), end_text.clone()).text;
        let end_at = end_text.clone().at(UNARY);
        let head = if range.reversed {
            self.reversed(range, &printed, &i, start, &end_at, scalar)
        } else if let Some(step) = &range.step {
            self.stepped(range, &printed, &i, start, end, &end_at, step, scalar)
        } else if range.inclusive {
            if self.ends_below_max(range, scalar) {
                let bound = Text::binary(BinaryOp::Le, Text::primary(i.clone()), end_text).text;
                format!("for ({printed} {i} = {start}; {bound}; ++{i}) {{")
            } else {
                let more = self.more(range, start, &end_at, scalar);
                format!("for ({printed} {i} = {start}; {more}; {more} = {i} < {end_at} && (++{i}, true)) {{")
            }
        } else {
            format!("for ({printed} {i} = {start}; {bound}; ++{i}) {{")
        };
        if range.reversed && !range.inclusive {
            let step = format!("--{i};");
            return (head, Some(copy.map_or(step.clone(), |c| format!("{step} {c}"))));
        }
        (head, copy)
    }

    /// Declares whether an inclusive range has a number; one from the least of its type on always has.
    fn more(&mut self, range: &RangeLoop, start: &str, end: &str, scalar: Scalar) -> String {
        let more = self.function.reserve("more");
        let least = scalar.int_range().map(|(low, _)| low);
        let some = match range.start.as_int() {
            Some(n) if Some(n) == least => "true".to_owned(),
            _ => format!("{start} <= {end}"),
        };
        self.function.push(&format!("bool {more} = {some};"));
        more
    }

    fn reversed(
        &mut self,
        range: &RangeLoop,
        printed: &str,
        i: &str,
        start: &str,
        end: &str,
        scalar: Scalar,
    ) -> String {
        if range.inclusive {
            let more = self.more(range, start, end, scalar);
            return format!(
                "for ({printed} {i} = {end}; {more}; {more} = {i} > {start} && (--{i}, true)) {{"
            );
        }
        format!("for ({printed} {i} = {end}; {i} > {start};) {{")
    }

    #[allow(clippy::too_many_arguments)]
    fn stepped(
        &mut self,
        range: &RangeLoop,
        printed: &str,
        i: &str,
        start: &str,
        end: &Expr,
        end_text: &str,
        step: &Expr,
        scalar: Scalar,
    ) -> String {
        let compare = if range.inclusive { "<=" } else { "<" };
        let step_text = self.step_text(step, scalar);
        if cannot_wrap(range, end, step, scalar) {
            let step = step_text.at(ASSIGNMENT);
            return format!("for ({printed} {i} = {start}; {i} {compare} {end_text}; {i} += {step}) {{");
        }
        let step_text = step_text.at(UNARY);
        // What is left is compared with the step before it is taken, so the counter never wraps.
        let wide = if scalar.bits() == 64 { "unsigned long long" } else { "unsigned int" };
        let wide_step = self.expr(step).at(UNARY);
        let left = if wide == printed {
            format!("{end_text} - {i}")
        } else {
            format!("({wide})({end_text}) - ({wide}){i}")
        };
        if !range.inclusive {
            let sum = if scalar.bits() >= 32 {
                format!("{i} + {step_text}")
            } else {
                format!("({printed})({i} + {step_text})")
            };
            return format!(
                "for ({printed} {i} = {start}; {i} < {end_text}; {i} = {left} > {wide_step} ? {sum} : {end_text}) {{"
            );
        }
        let more = self.more(range, start, end_text, scalar);
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
            || super::ranges::interval(&range.end, &self.function.intervals).is_some_and(|(_, n)| n < high)
            || upper(&range.end).is_some_and(|n| n < high)
    }

    /// Whether the loop needs a flag that says whether it goes on.
    fn needs_more(&self, range: &RangeLoop, scalar: Scalar) -> bool {
        match &range.step {
            Some(step) => range.inclusive && !cannot_wrap(range, &range.end, step, scalar),
            None => range.inclusive && (range.reversed || !self.ends_below_max(range, scalar)),
        }
    }

    /// The step in the counter's type.
    fn step_text(&mut self, step: &Expr, scalar: Scalar) -> Text {
        if let Some(n) = step.as_int() {
            return super::literal::literal(crate::ir::ConstValue::Int(n), Scalar::I32);
        }
        match &step.kind {
            ExprKind::Cast(inner) if inner.ty.scalar() == Some(scalar) => self.expr(inner),
            _ if scalar == Scalar::U64 => self.expr(step),
            _ => {
                let text = self.expr(step);
                Text::cast(super::types::scalar(scalar), text)
            }
        }
    }
}

/// Whether `i += step` stays in range up to the first value that ends the loop.
fn cannot_wrap(range: &RangeLoop, end: &Expr, step: &Expr, scalar: Scalar) -> bool {
    let Some((_, high)) = scalar.int_range() else { return false };
    if let (Some(end), Some(step)) = (end.as_int(), step.as_int()) {
        return end + step <= high;
    }
    let (Some(end), Some(step)) = (upper(end), upper(step)) else { return false };
    !range.inclusive && end + step <= high
}
