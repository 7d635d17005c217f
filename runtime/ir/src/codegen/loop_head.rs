//! Heads of loops over ranges: the plainest form that is exact for every bound.

use super::precedence::{ASSIGNMENT, Text, UNARY};
use super::{Printer, prelude};
use crate::ir::{BinaryOp, Expr, ExprKind, RangeLoop, Scalar};

/// How the head of a loop over a range is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// The loop that a C++ programmer would write: no number that the counter takes is beyond its type.
    Plain,
    /// With a signed counter of sixty-four bits; the range's own variable is a copy of it.
    Wide,
    /// With a count of the remaining iterations.
    Counted,
    /// With a test for the last number at the end of the body. Every iteration reaches the test, or leaves the loop.
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

impl Printer<'_> {
    /// The `for (…) {` of a range, and a first and a last line of its body if it needs them.
    pub(super) fn for_head(
        &mut self,
        range: &RangeLoop,
        head: &Head<'_>,
    ) -> (String, Option<String>, Option<String>) {
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

    /// Returns whether a signed counter may go down from the last number to below the first, because neither is the minimum
    /// of its type.
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

    /// Counts the remaining iterations beside the counter. The counter may wrap after the last one.
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

    /// A loop with a flag for whether it goes on: for ranges of sixty-four bits that may end with the last number of their
    /// type.
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
    pub(super) fn guard_of(&self, range: &RangeLoop, head: &Head<'_>) -> Option<String> {
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
        // No loop runs long enough to reach the end of 64 bits from their lower half.
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

/// A loop that ends at the end of its body after the last number, so its counter never exceeds that number.
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

/// A number below the upper half of its type, as a signed one.
fn signed(part: &Expr, text: Text) -> Text {
    match part.ty.scalar() {
        Some(Scalar::U64) if part.as_int().is_none() => Text::cast("long long", text),
        _ => text,
    }
}
