//! Loops that only read memory, tried first with checks that do not leave.
//!
//! A check that may end the thread stands between a loop's loads: it waits for one load before the next starts, and the
//! compiler does not unroll the loop. A loop that only reads, and changes no more than a few variables, is compiled twice.
//! In the first version, an index out of bounds reads an element that there is instead, without a branch, and is noted. If one was
//! noted, the variables get their old values back, and the second version, which checks each index, fails at the iteration
//! where Rust fails.

use std::collections::HashSet;

use super::hoisted::starts_below;
use super::known_inside::{Along, Indexed};
use super::loop_head::{Form, Head};
use super::once::{Known, Ranged};
use super::precedence::{ASSIGNMENT, Text};
use super::{Ahead, Printer};
use crate::ir::{BinaryOp, Block, Effect, Expr, ExprKind, RangeLoop, StmtKind, Type, VarId, visit};
use crate::ranges::{integer, root};

/// Variables that a loop may change, each as large as a register or a few.
const MOST_CHANGED: usize = 6;
const MOST_BYTES: usize = 16;
/// The size of an array that a loop may change.
const MOST_ARRAY_BYTES: usize = 64;
/// Iterations at most of the loops in an iteration.
const MOST_INNER: i128 = 64;

impl Printer<'_> {
    /// Prints a loop that is tried, if it may be; whether it was printed.
    pub(super) fn tried(&mut self, ranged: Ranged<'_>) -> bool {
        let Ranged { id, range, body } = ranged;
        let along = self.along(range, body);
        let Some(changed) = self.trial(range, body, &along) else { return false };
        let slices = self.tried_slices(&along, None, body);
        let known = Known { ahead: Ahead::Tried, along: &along, slices: &slices };
        if range.unroll.is_none() {
            self.each(ranged, "ws_try_each", &known, &changed);
            return true;
        }
        let head = self.pinned(range);
        let inside = self.inside(&known, starts_below(range), &head);
        let [start, end] = [&head.start, &head.end].map(|part| part.clone().at(ASSIGNMENT));
        let before = format!("ws_try({inside} && !ws_is_long({start}, {end}), ws_fault, ");
        self.checked_lambda(&before, &[], &known, |printer| {
            printer.range_loop(id, range, body, &head);
        });
        self.close_call(&changed);
        true
    }

    /// The ends of a range, each in a variable.
    pub(super) fn pinned(&mut self, range: &RangeLoop) -> Head<'static> {
        let scalar = super::types::scalar_of(&self.function.var(range.var).ty);
        let [start, end] = [(&range.start, "start"), (&range.end, "end")].map(|(part, name)| {
            if !self.is_pinned(part) {
                return self.expr(part);
            }
            let (text, ty) = (self.expr(part).at(ASSIGNMENT), self.ty(&part.ty));
            let name = self.function.reserve(name);
            self.function.push(&format!("const {ty} {name} = {text};"));
            Text::primary(name)
        });
        Head { form: Form::Plain, start, end, step: None, scalar }
    }

    /// Whether an end of a range needs a variable.
    pub(super) fn is_pinned(&self, part: &Expr) -> bool {
        part.as_int().is_none() && !(matches!(part.kind, ExprKind::Var(_)) && self.is_fixed(part))
    }

    /// The variables of the code around that a loop changes, if it may be tried.
    fn trial(&self, range: &RangeLoop, body: &Block, along: &[Along]) -> Option<Vec<VarId>> {
        self.counts_by_one(range).then(|| self.trial_of(None, body, along)).flatten()
    }

    /// Whether a loop takes each number from its start up to its end, and both may be evaluated at any time.
    pub(super) fn counts_by_one(&self, range: &RangeLoop) -> bool {
        let ends = [&range.start, &range.end].into_iter().all(|part| self.is_all_pure(part));
        self.ascends(range) && range.step.is_none() && ends
    }

    /// The same of a loop with this condition, if it has one, and this body; a comparison before it is about some indices.
    pub(super) fn trial_of(&self, cond: Option<&Expr>, body: &Block, along: &[Along]) -> Option<Vec<VarId>> {
        if self.gpu_checks().any() || !self.checks() || self.function.once.is_some() {
            return None;
        }
        self.changes(cond, body).filter(|_| self.checks_slices(along, cond, body))
    }

    /// The numbers and vectors of the code around that a loop with this condition and this body changes, if it does nothing else.
    pub(super) fn only_changes(&self, cond: Option<&Expr>, body: &Block) -> Option<Vec<VarId>> {
        let is_number = |var: &VarId| !matches!(self.function.var(*var).ty, Type::Array(..));
        self.changes(cond, body).filter(|vars| vars.iter().all(is_number))
    }

    /// The same with small arrays.
    fn changes(&self, cond: Option<&Expr>, body: &Block) -> Option<Vec<VarId>> {
        let own = declared(body)?;
        let mut all_pure = true;
        visit::exprs(body, &mut |e| all_pure &= self.is_pure(e));
        all_pure &= cond.is_none_or(|cond| self.is_all_pure(cond));
        let changed = self.changed(body, &own).filter(|_| all_pure)?;
        (changed.len() <= MOST_CHANGED).then_some(changed)
    }

    /// Variables of the code around that a body assigns; nothing if it assigns anything else.
    fn changed(&self, body: &Block, own: &HashSet<VarId>) -> Option<Vec<VarId>> {
        let (mut changed, mut is_sound) = (Vec::new(), true);
        visit::stmts(body, &mut |stmt| {
            let StmtKind::Assign { place, .. } = &stmt.kind else { return };
            let Some(var) = root(place).filter(|_| place.is_in_variable()) else {
                is_sound = false;
                return;
            };
            let ty = &self.function.var(var).ty;
            if own.contains(&var) || changed.contains(&var) {
                return;
            }
            is_sound &= match ty {
                Type::Scalar(_) | Type::Vector(..) => ty.size() <= MOST_BYTES,
                Type::Array(of, _) => {
                    matches!(**of, Type::Scalar(_)) && (1..=MOST_ARRAY_BYTES).contains(&ty.size())
                }
                _ => false,
            };
            changed.push(var);
        });
        is_sound.then_some(changed)
    }

    /// Returns whether what a loop indexes and checks besides these is slices of small values, and anything.
    fn checks_slices(&self, along: &[Along], cond: Option<&Expr>, body: &Block) -> bool {
        let (mut count, mut is_sound) = (0, true);
        let mut look = |e: &Expr| {
            let ExprKind::Index { base, index, .. } = &e.kind else { return };
            if !self.is_checked_index(e) {
                return;
            }
            let is_slice = matches!(self.length_of(base), Some(Indexed::Slice(_)));
            let is_small = matches!(e.ty, Type::Scalar(_) | Type::Vector(..)) && e.ty.size() <= MOST_BYTES;
            is_sound &= is_slice && is_small || self.is_one_of(along, base, index);
            count += 1;
        };
        visit::exprs(body, &mut look);
        cond.into_iter().for_each(|cond| visit::expr(cond, &mut look));
        is_sound && count > 0
    }

    /// The slices that a loop reads at an index besides these, but for those that are no shorter than another.
    pub(super) fn tried_slices(&self, along: &[Along], cond: Option<&Expr>, body: &Block) -> Vec<VarId> {
        let mut all: Vec<VarId> = Vec::new();
        let mut look = |e: &Expr| {
            let ExprKind::Index { base, index, .. } = &e.kind else { return };
            let Some(Indexed::Slice(slice)) = self.length_of(base) else { return };
            let is_told = all.iter().any(|other| *other == slice || self.is_no_longer(*other, slice));
            if self.is_checked_index(e) && !self.is_one_of(along, base, index) && !is_told {
                all.push(slice);
            }
        };
        visit::exprs(body, &mut look);
        cond.into_iter().for_each(|cond| visit::expr(cond, &mut look));
        all
    }

    /// Comparisons that say that slices have elements.
    pub(super) fn are_some(&mut self, slices: &[VarId]) -> Vec<String> {
        slices.iter().map(|slice| format!("{}_len > 0", self.var(*slice))).collect()
    }

    pub(super) fn is_checked_index(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Index { base, index, proof, .. } => {
                self.is_checked(*proof) && self.passed(base, index).is_none()
            }
            ExprKind::SubSlice { proof, .. } => self.is_checked(*proof),
            _ => false,
        }
    }

    /// Returns whether a function's body may fault or never end when it is given values that the Rust program never passes.
    pub(super) fn is_wild(&self, body: &Block) -> bool {
        let mut is_wild = false;
        visit::exprs(body, &mut |e| {
            let may_be = matches!(e.kind, ExprKind::Deref(_) | ExprKind::Binary(..) | ExprKind::Call { .. });
            is_wild |= may_be && !self.is_pure(e);
        });
        visit::stmts(body, &mut |stmt| {
            is_wild |= matches!(stmt.kind, StmtKind::While { .. } | StmtKind::For { .. });
        });
        is_wild
    }

    /// Returns whether an expression with its operands does the same each time, and no more than to give a value.
    pub(super) fn is_all_pure(&self, e: &Expr) -> bool {
        let mut all_pure = true;
        visit::expr(e, &mut |e| all_pure &= self.is_pure(e));
        all_pure
    }

    /// Returns whether an expression, without its operands, does the same each time, and no more than to give a value.
    pub(super) fn is_pure(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Const(_) | ExprKind::Unit | ExprKind::Var(_) | ExprKind::Unary(..) => true,
            // A number that is read of nothing must not be divided by.
            ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, _, by) if integer(e).is_some() => {
                by.as_int().is_some_and(|by| by != 0)
            }
            ExprKind::Binary(..) | ExprKind::Exact(_) | ExprKind::Cast(_) => true,
            ExprKind::Field(..) | ExprKind::Index { .. } => true,
            // The pointer may be invalid here: Rust may have stopped at a fault before this read.
            ExprKind::Deref(of) => !matches!(of.ty, Type::Ptr { .. }),
            ExprKind::Len(_) | ExprKind::Select(..) | ExprKind::Vector(_) => true,
            ExprKind::Tuple(_) | ExprKind::Struct(..) | ExprKind::Table { .. } => true,
            ExprKind::Builtin { op, .. } => {
                op.effect == Effect::Pure && op.facts.accesses.is_empty() && !op.facts.waits
            }
            ExprKind::Call { function, effect, .. } => {
                *effect == Effect::Pure
                    && ![&self.faulting, &self.wild].iter().any(|of| of.contains(&function.0))
            }
            _ => false,
        }
    }
}

/// The variables that a block declares; nothing if it holds more than plain statements and short loops.
fn declared(body: &Block) -> Option<HashSet<VarId>> {
    let (mut own, mut is_plain) = (HashSet::new(), true);
    visit::stmts(body, &mut |stmt| match &stmt.kind {
        StmtKind::Let { var, init: Some(init) } => {
            is_plain &=
                matches!(init.ty, Type::Scalar(_) | Type::Vector(..) | Type::Struct(_) | Type::Array(..));
            own.insert(*var);
        }
        StmtKind::For { range, .. } => {
            own.insert(range.var);
        }
        StmtKind::Assign { .. } | StmtKind::If { .. } | StmtKind::Block(_) => {}
        _ => is_plain = false,
    });
    (is_plain && turns(body).is_some_and(|turns| turns <= MOST_INNER)).then_some(own)
}

/// The number of iterations of a block's loops, if it is a constant: one for the block itself.
fn turns(body: &Block) -> Option<i128> {
    let mut all: i128 = 1;
    for stmt in &body.stmts {
        let times = match &stmt.kind {
            StmtKind::For { range, .. } => {
                let (start, end) = (range.start.as_int()?, range.end.as_int()?);
                end.checked_sub(start)?.checked_add(i128::from(range.inclusive))?.max(0)
            }
            _ => 1,
        };
        for inner in visit::blocks(stmt) {
            let more = turns(inner)?.checked_mul(times)?;
            all = all.checked_add(if matches!(stmt.kind, StmtKind::For { .. }) { more } else { more - 1 })?;
        }
    }
    Some(all)
}
