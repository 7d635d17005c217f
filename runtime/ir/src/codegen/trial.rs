//! Loops that only read memory, tried first with checks that do not leave.
//!
//! A check that may end the thread stands between a loop's loads: it waits for one load before the next starts, and the
//! compiler does not unroll the loop. A loop that only reads, and changes no more than a few variables, is printed twice.
//! In the first loop, an index out of bounds reads the first element instead, without a branch, and is noted. If one was
//! noted, the variables get their old values back, and the second loop, which checks each index, fails at the iteration
//! where Rust fails.

use std::collections::HashSet;

use super::Printer;
use super::known_inside::{Along, is_one_of};
use super::loop_head::{Form, Head};
use super::precedence::{ASSIGNMENT, Text, UNARY};
use crate::ir::{BinaryOp, Block, Effect, Expr, ExprKind, LoopId, RangeLoop, StmtKind, Type, VarId, visit};
use crate::ranges::{integer, root};

/// Variables that a loop may change, each as large as a register or a few.
const MOST_CHANGED: usize = 6;
const MOST_BYTES: usize = 16;
/// Iterations of a trial at most: what ends the loop may be as wrong as what it indexes.
const MOST_ITERATIONS: &str = "1048576ull";

impl Printer<'_> {
    /// Prints a loop twice, if it may be tried; whether it was printed.
    pub(super) fn tried(&mut self, id: LoopId, range: &RangeLoop, body: &Block) -> bool {
        let Some(changed) = self.trial(range, body) else { return false };
        let along = if self.function.along.is_empty() { self.along(range, body) } else { Vec::new() };
        self.function.open("{");
        self.function.open_scope();
        let head = self.pinned(range);
        let kept: Vec<(String, String)> = changed.iter().map(|var| self.keep(*var)).collect();
        let wide = "(unsigned long long)";
        let span = format!("{wide}{} - {wide}{}", head.end.clone().at(UNARY), head.start.clone().at(UNARY));
        let failed = self.function.reserve("failed");
        let mut inside = self.are_inside(&along, range, &head);
        inside.extend(self.tried_slices(body, &along).into_iter().map(|name| format!("{name}_len > 0")));
        let inside = inside.join(" && ");
        let outside = if inside.is_empty() { inside } else { format!(" || !({inside})") };
        self.function.push(&format!("bool {failed} = {span} > {MOST_ITERATIONS}{outside};"));
        self.function.open(&format!("if (!{failed}) {{"));
        let around = std::mem::replace(&mut self.function.along, along);
        self.function.trial = Some(failed.clone());
        self.range_loop(id, range, body, &head);
        self.function.trial = None;
        self.function.along = around;
        self.function.close("}");
        self.function.open(&format!("if ({failed}) {{"));
        for (name, before) in kept {
            self.function.push(&format!("{name} = {before};"));
        }
        self.range_loop(id, range, body, &head);
        self.function.close("}");
        self.function.close_scope();
        self.function.close("}");
        true
    }

    /// Prints a loop twice that counts up to a fixed end, if it may be tried; whether it was printed.
    pub(super) fn tried_while(&mut self, id: LoopId, cond: &Expr, body: &Block) -> bool {
        let Some((at, end)) = self.counts_up(cond, body) else { return false };
        let Some(changed) = self.trial_of(body, &[cond]) else { return false };
        self.function.open("{");
        let kept: Vec<(String, String)> = changed.iter().map(|var| self.keep(*var)).collect();
        let wide = "(unsigned long long)";
        let (at, end) = (self.expr(at).at(UNARY), self.expr(end).at(UNARY));
        let failed = self.function.reserve("failed");
        let inside: Vec<String> =
            self.tried_slices(body, &[]).into_iter().map(|name| format!(" || {name}_len == 0")).collect();
        let span = format!("{wide}{end} - {wide}{at} > {MOST_ITERATIONS}");
        self.function.push(&format!("bool {failed} = {at} < {end} && {span}{};", inside.concat()));
        self.function.open(&format!("if (!{failed}) {{"));
        self.function.trial = Some(failed.clone());
        self.while_once(id, cond, body);
        self.function.trial = None;
        self.function.close("}");
        self.function.open(&format!("if ({failed}) {{"));
        for (name, before) in kept {
            self.function.push(&format!("{name} = {before};"));
        }
        self.while_once(id, cond, body);
        self.function.close("}");
        self.function.close("}");
        true
    }

    /// The counter and the end of `while at < end { …; at += 1; }`, where nothing else changes either.
    fn counts_up<'e>(&self, cond: &'e Expr, body: &Block) -> Option<(&'e Expr, &'e Expr)> {
        let ExprKind::Binary(BinaryOp::Lt, at, end) = &cond.kind else { return None };
        let ExprKind::Var(counter) = at.kind else { return None };
        integer(at).filter(|_| self.is_fixed(end))?;
        let is_counter = |e: &Expr| matches!(e.kind, ExprKind::Var(var) if var == counter);
        let StmtKind::Assign { place, op, value } = &body.stmts.last()?.kind else { return None };
        let by = match (op, &value.kind) {
            (Some(BinaryOp::Add), _) => value,
            (None, ExprKind::Exact(sum)) => match &sum.kind {
                ExprKind::Binary(BinaryOp::Add, own, by) if is_counter(own) => by,
                _ => return None,
            },
            _ => return None,
        };
        let mut assigned = 0;
        visit::stmts(body, &mut |stmt| {
            assigned +=
                usize::from(matches!(&stmt.kind, StmtKind::Assign { place, .. } if is_counter(place)));
        });
        (is_counter(place) && by.as_int() == Some(1) && assigned == 1).then_some((&**at, &**end))
    }

    /// The ends of a range, each in a variable.
    pub(super) fn pinned(&mut self, range: &RangeLoop) -> Head<'static> {
        let scalar = super::types::scalar_of(&self.function.var(range.var).ty);
        let [start, end] = [(&range.start, "start"), (&range.end, "end")].map(|(part, name)| {
            if part.as_int().is_some() {
                return self.expr(part);
            }
            let (text, ty) = (self.expr(part).at(ASSIGNMENT), self.ty(&part.ty));
            let name = self.function.reserve(name);
            self.function.push(&format!("const {ty} {name} = {text};"));
            Text::primary(name)
        });
        Head { form: Form::Plain, start, end, step: None, scalar }
    }

    /// A copy of a variable: its name and that of the copy.
    fn keep(&mut self, var: VarId) -> (String, String) {
        let (name, ty) = (self.var(var), self.function.var(var).ty.clone());
        let (printed, before) = (self.ty(&ty), self.function.reserve(&format!("{name}_before")));
        self.function.push(&format!("const {printed} {before} = {name};"));
        (name, before)
    }

    /// The variables of the code around that a loop changes, if it may be tried.
    fn trial(&self, range: &RangeLoop, body: &Block) -> Option<Vec<VarId>> {
        let is_plain = !range.inclusive && !range.reversed && !self.function.var(range.var).mutable;
        (is_plain && range.step.is_none()).then(|| self.trial_of(body, &[&range.start, &range.end])).flatten()
    }

    /// The same of a loop with this body, whose head reads these.
    fn trial_of(&self, body: &Block, head: &[&Expr]) -> Option<Vec<VarId>> {
        if self.gpu_checks().any() || !self.checks() || self.function.trial.is_some() {
            return None;
        }
        let own = declared(body)?;
        let mut all_pure = true;
        visit::exprs(body, &mut |e| all_pure &= self.is_pure(e));
        head.iter().for_each(|part| visit::expr(part, &mut |e| all_pure &= self.is_pure(e)));
        let changed = self.changed(body, &own).filter(|_| all_pure)?;
        (changed.len() <= MOST_CHANGED && self.checks_slices(body)).then_some(changed)
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
            is_sound &= matches!(ty, Type::Scalar(_) | Type::Vector(..)) && ty.size() <= MOST_BYTES;
            changed.push(var);
        });
        is_sound.then_some(changed)
    }

    /// Returns whether what a body indexes and checks is slices of small values, and anything.
    fn checks_slices(&self, body: &Block) -> bool {
        let (mut count, mut is_sound) = (0, true);
        visit::exprs(body, &mut |e| {
            let ExprKind::Index { base, .. } = &e.kind else { return };
            if !self.is_checked_index(e) {
                return;
            }
            let is_slice = matches!(&base.ty, Type::Ref { to, .. } if matches!(**to, Type::Slice(_)));
            let is_small = matches!(e.ty, Type::Scalar(_) | Type::Vector(..)) && e.ty.size() <= MOST_BYTES;
            is_sound &= is_slice && is_small && matches!(base.kind, ExprKind::Var(_));
            count += 1;
        });
        is_sound && count > 0
    }

    /// The names of slices that have an index which is tried.
    fn tried_slices(&self, body: &Block, along: &[Along]) -> Vec<String> {
        let mut all = Vec::new();
        visit::exprs(body, &mut |e| {
            let ExprKind::Index { base, index, .. } = &e.kind else { return };
            let ExprKind::Var(slice) = base.kind else { return };
            if self.is_checked_index(e) && !is_one_of(along, base, index) {
                let name = self.var(slice);
                if !all.contains(&name) {
                    all.push(name);
                }
            }
        });
        all
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
            ExprKind::Len(_) | ExprKind::Deref(_) | ExprKind::Select(..) | ExprKind::Vector(_) => true,
            ExprKind::Tuple(_) | ExprKind::Struct(..) | ExprKind::Table { .. } => true,
            ExprKind::Builtin { op, .. } => {
                op.effect == Effect::Pure && op.facts.accesses.is_empty() && !op.facts.waits
            }
            ExprKind::Call { function, effect, .. } => {
                *effect == Effect::Pure && !self.faulting.contains(&function.0)
            }
            _ => false,
        }
    }
}

/// The variables that a block declares; nothing if it holds more than plain statements.
fn declared(body: &Block) -> Option<HashSet<VarId>> {
    let (mut own, mut is_plain) = (HashSet::new(), true);
    visit::stmts(body, &mut |stmt| match &stmt.kind {
        StmtKind::Let { var, init: Some(init) } => {
            is_plain &=
                matches!(init.ty, Type::Scalar(_) | Type::Vector(..) | Type::Struct(_) | Type::Array(..));
            own.insert(*var);
        }
        StmtKind::Assign { .. } | StmtKind::If { .. } | StmtKind::Block(_) => {}
        _ => is_plain = false,
    });
    is_plain.then_some(own)
}
