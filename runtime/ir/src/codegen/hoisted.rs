//! Checks of a loop that a comparison before it makes needless.
//!
//! If a loop indexes with its counter, or with a sum of its counter and values that the loop does not change, no index is
//! out of bounds unless the last one is. Such a loop is compiled twice: without these checks, for the case that one
//! comparison proves them, and with them, for the fault at the iteration where Rust fails.

use std::collections::{HashMap, HashSet};

use super::affine::{is_beside, is_of_int};
use super::batches::jumps;
use super::known_inside::{Along, Indexed, Run};
use super::loop_head::Head;
use super::once::{Known, Ranged};
use super::precedence::{ASSIGNMENT, UNARY};
use super::stmt::is_fixed;
use super::{Ahead, Printer};
use crate::ir::{
    BinaryOp, Block, Effect, Expr, ExprKind, LoopId, RangeLoop, Scalar, StmtKind, Type, VarId, VarKind, visit,
};
use crate::ranges::{changed, integer, same};

/// Comparisons before a loop at most.
const MOST_COMPARISONS: usize = 6;

/// Parts of an index at most.
const MOST_PARTS: usize = 32;

impl Printer<'_> {
    /// Prints a loop that is compiled without checks that leave, or with fewer of them, and with all; whether it was printed.
    pub(super) fn twice(&mut self, ranged: Ranged<'_>) -> bool {
        // If the counter alone is checked, no loop has to be tried.
        let along = self.along(ranged.range, ranged.body);
        self.reported(ranged, &along)
            || (self.are_all(&along, None, ranged.body) && self.hoisted(ranged))
            || self.batched_range(ranged)
            || self.tried(ranged)
            || self.hoisted(ranged)
    }

    /// Returns whether all checked indices of a loop's condition and body are these.
    pub(super) fn are_all(&self, along: &[Along], cond: Option<&Expr>, body: &Block) -> bool {
        let mut all = true;
        let mut look = |e: &Expr| match &e.kind {
            ExprKind::Index { base, index, .. } if self.is_checked_index(e) => {
                all &= self.is_one_of(along, base, index)
            }
            _ => all &= !self.is_checked_index(e),
        };
        visit::exprs(body, &mut look);
        cond.into_iter().for_each(|cond| visit::expr(cond, &mut look));
        all
    }

    /// Prints a loop for which comparisons before it make some checks needless; whether it was printed.
    pub(super) fn hoisted(&mut self, ranged: Ranged<'_>) -> bool {
        let Ranged { id, range, body } = ranged;
        let along = self.along(range, body);
        if along.is_empty() || !self.may_be_twice(id, body) {
            return false;
        }
        let known = Known { ahead: Ahead::Compared, along: &along, slices: &[] };
        if range.step.is_none() && range.unroll.is_none() && !jumps(body) {
            self.each(ranged, "ws_each", &known, &[]);
            return true;
        }
        let Head { start, end, scalar, .. } = self.pinned(range);
        let form = self.form(range, scalar, true);
        let step = range.step.as_ref().map(|step| (step, self.once(step, "step")));
        let head = Head { form, start, end, step, scalar };
        let before = format!("ws_twice({}, ws_fault, ", self.inside(&known, starts_below(range), &head));
        self.checked_lambda(&before, &[], &known, |printer| {
            printer.range_loop(id, range, body, &head);
        });
        self.close_call(&[]);
        true
    }

    /// The checked indices of a loop's body that its counter runs along, each once.
    pub(super) fn along(&self, range: &RangeLoop, body: &Block) -> Vec<Along> {
        let mut along = if self.ascends(range) { self.runs(range.var, None, body) } else { Vec::new() };
        // The number before the end may be none that the loop takes.
        along.retain(|own| range.step.is_none() || may_skip(own));
        along
    }

    /// The same of a counter, and also of a loop's condition.
    pub(super) fn runs(&self, counter: VarId, cond: Option<&Expr>, body: &Block) -> Vec<Along> {
        let is_asked = self.checks() && !self.gpu_checks().any() && self.module.coarsened.is_none();
        if !is_asked || self.function.once.is_some() {
            return Vec::new();
        }
        let (mut all, changed, lets): (Vec<Along>, _, _) = (Vec::new(), changed(body), self.lets(body));
        let mut look = |e: &Expr| {
            let ExprKind::Index { base, index, .. } = &e.kind else { return };
            let Some(of) = self.length_of(base) else { return };
            // A slice that the body makes has no length before the loop.
            let is_other = matches!(of, Indexed::Slice(slice) if !self.is_settled(slice));
            if is_other || !self.is_checked_index(e) || self.is_one_of(&all, base, index) {
                return;
            }
            let Some(value) = without_lets(index, &lets, &mut { MOST_PARTS }) else { return };
            let sum = self
                .runs_along((counter, &changed), &value)
                .map(|(offset, is_widened)| Run::Sum { offset, is_widened });
            let run =
                sum.or_else(|| self.is_affine((counter, &changed), &value).then_some(Run::Affine(counter)));
            all.extend(run.map(|run| Along { of, index: (**index).clone(), value, run }));
        };
        visit::exprs(body, &mut look);
        cond.into_iter().for_each(|cond| visit::expr(cond, &mut look));
        all.truncate(MOST_COMPARISONS);
        all
    }

    /// Whether a loop counts up to before its end, with a counter that nothing else changes.
    pub(super) fn ascends(&self, range: &RangeLoop) -> bool {
        !range.inclusive && !range.reversed && !self.function.var(range.var).mutable
    }

    /// The integers that a body declares and does not change, with what they are made of.
    fn lets<'b>(&self, body: &'b Block) -> HashMap<VarId, &'b Expr> {
        let mut lets = HashMap::new();
        visit::stmts(body, &mut |stmt| {
            if let StmtKind::Let { var, init: Some(init) } = &stmt.kind
                && !self.function.var(*var).mutable
                && integer(init).is_some()
                && self.is_all_pure(init)
            {
                lets.insert(*var, init);
            }
        });
        lets
    }

    /// The number that is added to a counter to make an index, and whether the counter is widened first; `None` for any
    /// other index.
    fn runs_along(
        &self,
        (counter, changed): (VarId, &HashSet<VarId>),
        index: &Expr,
    ) -> Option<(Option<Expr>, bool)> {
        let scalar = integer(index).filter(|scalar| scalar.bits() >= 32)?;
        let is_own = |e: &Expr| matches!(e.kind, ExprKind::Var(var) if var == counter);
        let is_wide = |e: &Expr| match &e.kind {
            ExprKind::Cast(inner) => {
                is_own(inner) && integer(inner).is_some_and(|from| from.bits() == 32 || from == Scalar::I64)
            }
            _ => false,
        };
        let is_counter = |e: &Expr| is_own(e) || scalar.is_unsigned() && is_wide(e);
        if is_counter(index) {
            return Some((None, !is_own(index)));
        }
        let is_told = match scalar {
            Scalar::I64 => false,
            _ => scalar.is_unsigned() || matches!(index.kind, ExprKind::Exact(_)),
        };
        let (offset, own) = beside(index, &is_counter, scalar.is_unsigned())?;
        (is_told && self.is_kept(&offset, changed)).then(|| (Some(offset), !is_own(own)))
    }

    /// The length of a slice with a name, of an array, or of a shared array.
    pub(super) fn length_of(&self, base: &Expr) -> Option<Indexed> {
        match (&base.ty, &base.kind) {
            (Type::Array(_, n), _) => Some(Indexed::Array(*n)),
            (Type::Shared { rank: 1, .. }, ExprKind::Var(array)) => match &self.function.var(*array).kind {
                VarKind::Shared { extents, .. } => extents.first().map(|extent| Indexed::Array(extent.len)),
                _ => None,
            },
            (Type::Ref { to, .. }, ExprKind::Var(slice)) if matches!(**to, Type::Slice(_)) => {
                Some(Indexed::Slice(*slice))
            }
            _ => None,
        }
    }

    /// Whether a slice is there before a loop, and stays the same in it.
    pub(super) fn is_settled(&self, slice: VarId) -> bool {
        self.function.is_declared(slice) && !self.function.var(slice).mutable
    }

    /// Whether an index is one of these.
    pub(super) fn is_one_of(&self, along: &[Along], base: &Expr, index: &Expr) -> bool {
        let of = self.length_of(base);
        of.is_some_and(|of| along.iter().any(|own| own.of == of && same(&own.index, index)))
    }

    /// Whether an expression gives the same in all iterations of a loop, which changes or lends these variables.
    pub(super) fn is_kept(&self, e: &Expr, changed: &HashSet<VarId>) -> bool {
        is_fixed(e, &|var| self.stays(var, changed))
    }

    /// Whether a variable of the code around a loop keeps its value in it. What was lent may be written by a pointer.
    pub(super) fn stays(&self, var: VarId, changed: &HashSet<VarId>) -> bool {
        let is_lent = self.function.var(var).mutable && self.function.lent.contains(&var);
        self.function.is_declared(var) && !changed.contains(&var) && !is_lent
    }

    /// Comparisons that say that no index is out of bounds. A sum that wraps is less than what is compared.
    ///
    /// `may_start_below` says that the first number may be negative.
    pub(super) fn are_inside(
        &mut self,
        along: &[Along],
        may_start_below: bool,
        head: &Head<'_>,
    ) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for own in along.iter().filter(|own| !own.is_between(along)) {
            let comparisons = match &own.run {
                Run::Sum { offset, is_widened } => {
                    self.sum_inside(own.of, offset.as_ref(), *is_widened, may_start_below, head)
                }
                Run::Affine(counter) => self.line_inside(own, *counter, head),
            };
            for comparison in comparisons {
                if !all.contains(&comparison) {
                    all.push(comparison);
                }
            }
        }
        all
    }

    pub(super) fn len_of(&self, of: Indexed) -> String {
        match of {
            Indexed::Slice(slice) => format!("{}_len", self.var(slice)),
            Indexed::Array(n) => format!("{n}ull"),
        }
    }

    /// The comparisons of the first and the last of indices at a fixed distance from each other.
    fn line_inside(&mut self, own: &Along, counter: VarId, head: &Head<'_>) -> Vec<String> {
        let len = self.len_of(own.of);
        let [start, end] = [&head.start, &head.end].map(|part| part.clone().at(UNARY));
        let first = literal(&start).map_or_else(|| format!("(long long){start}"), |n| format!("{n}ll"));
        let wide = if head.scalar == Scalar::U64 { "(long long)" } else { "" };
        let last = literal(&end).map_or_else(|| format!("({wide}{end} - 1ll)"), |n| format!("{}ll", n - 1));
        let ends = [first, last];
        let mut all = Vec::new();
        if head.scalar.is_unsigned() && literal(&end).is_none_or(|n| n > 1 << 31) {
            all.push(format!("{end} <= 2147483648{}", if head.scalar == Scalar::U64 { "ull" } else { "u" }));
        }
        // The product with a greater start, from which nothing is counted, could overflow.
        if head.scalar == Scalar::U64 && literal(&start).is_none() {
            all.push(format!("{start} <= {end}"));
        }
        let is_short = match own.of {
            Indexed::Slice(slice) => self.is_short_slice(slice),
            Indexed::Array(n) => n <= i32::MAX as usize,
        };
        if is_of_int(&own.value) && !is_short {
            all.push(format!("{len} <= 2147483648ull"));
        }
        all.extend(
            ends.map(|value| format!("ws_is_in({}, {len})", self.exact_at(counter, &own.value, &value))),
        );
        all
    }

    /// The comparisons of indices that are a loop's counter, or a sum with it.
    fn sum_inside(
        &mut self,
        of: Indexed,
        offset: Option<&Expr>,
        is_widened: bool,
        may_start_below: bool,
        head: &Head<'_>,
    ) -> Vec<String> {
        let is_signed = !head.scalar.is_unsigned();
        let wide = if is_signed { "(long long)" } else { "(unsigned long long)" };
        let [start, end] = [&head.start, &head.end].map(|part| part.clone().at(UNARY));
        let least = (is_signed && may_start_below).then(|| format!("{start} >= 0"));
        let (len, offset) = (self.len_of(of), offset.map(|offset| self.expr(offset)));
        let comparisons = match offset {
            // As a number of 64 bits without a sign, a negative one is more than any length.
            Some(offset) if is_widened || !is_signed => {
                [least, Some(format!("ws_fits({}, {end}, {len})", offset.at(ASSIGNMENT)))]
            }
            None if is_widened => [least, Some(format!("(unsigned long long){end} <= {len}"))],
            None => {
                let most = match is_signed {
                    true => format!("{wide}{end} <= (long long){len}"),
                    false => format!("{end} <= {len}"),
                };
                [least, Some(most)]
            }
            Some(offset) => {
                let offset = offset.at(UNARY);
                [
                    Some(format!("{wide}{offset} + {start} >= 0")),
                    Some(format!("{wide}{offset} + {end} <= (long long){len}")),
                ]
            }
        };
        comparisons.into_iter().flatten().collect()
    }

    /// Returns whether an index is one that a comparison before the loop has shown to be in bounds.
    pub(super) fn is_along(&self, base: &Expr, index: &Expr) -> bool {
        self.is_one_of(&self.function.along, base, index)
    }

    /// Returns whether a body holds nothing that threads do together, nothing that has a place of its own, and no loop.
    pub(super) fn may_be_twice(&self, id: LoopId, body: &Block) -> bool {
        let mut is_plain = true;
        visit::stmts(body, &mut |stmt| {
            is_plain &= match &stmt.kind {
                StmtKind::Let { .. } | StmtKind::Assign { .. } | StmtKind::Expr(_) => true,
                StmtKind::If { .. } | StmtKind::Block(_) => true,
                StmtKind::Break(of) | StmtKind::Continue(of) => *of == id,
                _ => false,
            };
        });
        visit::exprs(body, &mut |e| {
            is_plain &= match &e.kind {
                ExprKind::Builtin { op, .. } => op.effect == Effect::Pure && !op.facts.waits,
                ExprKind::Call { effect, .. } => *effect == Effect::Pure,
                ExprKind::Closure(_) | ExprKind::CallClosure { .. } => false,
                _ => true,
            };
        });
        is_plain
    }
}

/// Returns whether a comparison of the number before a loop's end serves a loop that may not take that number.
pub(super) fn may_skip(own: &Along) -> bool {
    match own.run {
        Run::Sum { .. } => true,
        Run::Affine(counter) => is_beside(counter, &own.value),
    }
}

/// An expression with the values of variables in their places; nothing if it is too long.
fn without_lets(e: &Expr, lets: &HashMap<VarId, &Expr>, left: &mut usize) -> Option<Expr> {
    *left = left.checked_sub(1)?;
    if let ExprKind::Var(var) = e.kind
        && let Some(value) = lets.get(&var)
    {
        return without_lets(value, lets, left);
    }
    let mut new = e.clone();
    for operand in new.operands_mut() {
        *operand = without_lets(operand, lets, left)?;
    }
    Some(new)
}

/// The rest of a sum with a counter, and the counter. Unsigned arithmetic wraps, so it may be rearranged.
fn beside<'e>(sum: &'e Expr, is_counter: &dyn Fn(&Expr) -> bool, wraps: bool) -> Option<(Expr, &'e Expr)> {
    let inner = if let ExprKind::Exact(inner) = &sum.kind { inner } else { sum };
    let ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) = &inner.kind else { return None };
    match op {
        BinaryOp::Add if is_counter(a) => return Some(((**b).clone(), a)),
        BinaryOp::Add if is_counter(b) => return Some(((**a).clone(), b)),
        _ => {}
    }
    let with = |rest: Expr| Expr { kind: ExprKind::Binary(*op, rest.into(), b.clone()), ty: sum.ty.clone() };
    let (rest, own) = beside(a, is_counter, wraps).filter(|_| wraps)?;
    Some((with(rest), own))
}

/// The number that a printed literal is.
fn literal(text: &str) -> Option<i64> {
    text.trim_end_matches(['u', 'l']).parse().ok()
}

/// Whether the first number of a range may be negative.
pub(super) fn starts_below(range: &RangeLoop) -> bool {
    range.start.as_int().is_none_or(|n| n < 0)
}
