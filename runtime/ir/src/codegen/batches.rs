//! Loops that count up and read at indices which are themselves read: the indices of a few iterations are compared at once.
//!
//! A check that may end the thread stands between a loop's loads. Where all indices of the next iterations can be computed
//! before them, one branch tells whether these iterations need no checks. The version with all checks does the last
//! iterations, and those in which an index is out of bounds: it begins where the other one has stopped, so nothing is
//! restored. A body that only reads compares its indices itself, on copies of the variables that it changes.

use std::collections::HashSet;

use super::known_inside::{Along, Indexed};
use super::loop_head::Form;
use super::once::{Known, Ranged};
use super::{Ahead, Printer};
use crate::ir::{Block, Expr, ExprKind, Location, LoopId, Stmt, StmtKind, Type, VarId, visit};
use crate::ranges::changed;

/// Indices of an iteration at most.
const MOST_INDICES: usize = 6;

/// Parts of the expressions of an iteration of which many are done at a time.
const MOST_PARTS: usize = 64;

/// The indices that are compared before some iterations.
pub(super) struct Batch<'e> {
    /// Variables of the body that they are made of.
    lets: Vec<&'e Stmt>,
    /// The indexed slices and the indices.
    indices: Vec<(&'e Expr, &'e Expr, Location)>,
    /// Iterations at a time, at most.
    most: usize,
}

/// A loop that counts up.
#[derive(Clone, Copy)]
pub(super) struct Counted<'e> {
    pub id: LoopId,
    pub counter: VarId,
    pub body: &'e Block,
    /// Variables that the loop changes or lends, and its counter.
    pub changed: &'e HashSet<VarId>,
}

impl Printer<'_> {
    /// The indices that a loop's body checks, besides those that its counter runs along, if all of them can be computed some
    /// iterations before.
    pub(super) fn batch<'e>(&self, counted: Counted<'e>, along: &[Along]) -> Option<Batch<'e>> {
        let Counted { id, body, .. } = counted;
        let is_asked = self.checks() && !self.gpu_checks().any() && self.module.coarsened.is_none();
        if !is_asked || self.function.once.is_some() || !self.may_be_twice(id, body) || jumps(body) {
            return None;
        }
        let mut batch = Batch { lets: Vec::new(), indices: Vec::new(), most: most_of(body) };
        for stmt in &body.stmts {
            if visit::blocks(stmt).into_iter().any(|inner| self.checks_in(inner)) {
                return None;
            }
            for e in visit::operands(stmt) {
                self.find_indices(e, along, &mut batch.indices)?;
            }
        }
        let found = batch.indices.clone();
        for (_, index, _) in &found {
            self.find_lets(index, counted, along, &mut batch.lets)?;
        }
        let moves = found.iter().any(|(_, index, _)| !self.is_kept(index, counted.changed));
        (moves && found.len() <= MOST_INDICES).then_some(batch)
    }

    /// Whether something in a block is checked.
    fn checks_in(&self, block: &Block) -> bool {
        let mut checks = false;
        visit::exprs(block, &mut |e| checks |= self.is_checked_index(e));
        checks
    }

    /// Collects the checked indices of an expression; nothing if one of them is no index of a slice with a name, or is not
    /// evaluated each time.
    fn find_indices<'e>(
        &self,
        e: &'e Expr,
        along: &[Along],
        found: &mut Vec<(&'e Expr, &'e Expr, Location)>,
    ) -> Option<()> {
        let checks = |e: &Expr| {
            let mut checks = false;
            visit::expr(e, &mut |e| checks |= self.is_checked_index(e));
            checks
        };
        if e.lazy().is_some() && checks(e) {
            return None;
        }
        for operand in e.operands() {
            self.find_indices(operand, along, found)?;
        }
        if !self.is_checked_index(e) {
            return Some(());
        }
        let ExprKind::Index { base, index, at, .. } = &e.kind else { return None };
        if self.is_one_of(along, base, index) {
            return Some(());
        }
        let Some(Indexed::Slice(slice)) = self.length_of(base) else { return None };
        let is_number = index.ty.scalar().is_some_and(|scalar| scalar.bits() >= 32);
        found.push((base, index, *at));
        (is_number && self.is_settled(slice)).then_some(())
    }

    /// Collects the variables of a body that an index is made of, in the body's order; nothing if the index rests on anything
    /// else that the body changes, or on memory that something may write.
    fn find_lets<'e>(
        &self,
        e: &Expr,
        counted: Counted<'e>,
        along: &[Along],
        lets: &mut Vec<&'e Stmt>,
    ) -> Option<()> {
        match &e.kind {
            ExprKind::Var(var) => {
                let is_own =
                    |stmt: &&Stmt| matches!(&stmt.kind, StmtKind::Let { var: own, .. } if own == var);
                match counted.body.stmts.iter().find(is_own) {
                    Some(own) => return self.find_let(own, counted, along, lets),
                    None => {
                        let is_known = *var == counted.counter || self.stays(*var, counted.changed);
                        return is_known.then_some(());
                    }
                }
            }
            ExprKind::Index { base, index, .. } => {
                let is_inside = !self.is_checked_index(e) || self.is_one_of(along, base, index);
                let is_read_only =
                    matches!(&base.kind, ExprKind::Var(slice) if self.function.read_only.contains(slice));
                let stays = !matches!(base.ty, Type::Ref { .. } | Type::View { .. }) || is_read_only;
                (is_inside && stays).then_some(())?;
            }
            // The loop may change what a reference leads to.
            ExprKind::Deref(_) => return None,
            _ => self.is_pure(e).then_some(())?,
        }
        e.operands().into_iter().try_for_each(|operand| self.find_lets(operand, counted, along, lets))
    }

    fn find_let<'e>(
        &self,
        own: &'e Stmt,
        counted: Counted<'e>,
        along: &[Along],
        lets: &mut Vec<&'e Stmt>,
    ) -> Option<()> {
        let StmtKind::Let { var, init: Some(init) } = &own.kind else { return None };
        let is_fixed = !counted.changed.contains(var) && matches!(init.ty, Type::Scalar(_));
        is_fixed.then_some(())?;
        self.find_lets(init, counted, along, lets)?;
        if !lets.iter().any(|known| std::ptr::eq(*known, own)) {
            lets.push(own);
        }
        Some(())
    }

    /// Prints the body of a loop that counts up, which a function of the header calls for some iterations at a time without checks as
    /// long as no index of theirs is out of bounds.
    pub(super) fn batches(
        &mut self,
        batch: &Batch<'_>,
        counted: Counted<'_>,
        (end, limit): (&str, &str),
        known: &Known<'_>,
    ) {
        let at = self.var(counted.counter);
        let arguments = format!("({at}, {end}, {limit}, ws_fault, ");
        let given = self.given(counted);
        let name = if given.is_some() { "ws_ahead" } else { "ws_ahead_after" };
        let before = format!("{name}<{}>{arguments}", batch.most);
        self.batched(&before, (batch, given), (&at, known), |printer| {
            printer.note_loop(counted.id, Form::Plain, Some(Ahead::Batched));
            printer.sequence(rest(counted.body));
        });
    }

    /// The same of a loop over a range; whether it was printed.
    pub(super) fn batched_range(&mut self, ranged: Ranged<'_>) -> bool {
        let Ranged { id, range, body } = ranged;
        if !self.counts_by_one(range) || range.unroll.is_some() {
            return false;
        }
        let (along, mut changed) = (self.along(range, body), changed(body));
        changed.insert(range.var);
        let counted = Counted { id, counter: range.var, body, changed: &changed };
        let Some(batch) = self.batch(counted, &along) else { return false };
        let ends = [&range.start, &range.end].map(Expr::as_int);
        if let [Some(start), Some(end)] = ends
            && end - start < batch.most as i128
        {
            return false;
        }
        let slices = self.tried_slices(&along, None, body);
        let known = Known { ahead: Ahead::Batched, along: &along, slices: &slices };
        let given = self.given(counted);
        let name = if given.is_some() { "ws_each_ahead" } else { "ws_each_ahead_after" };
        let before = self.called_with(ranged, &format!("{name}<{}, ", batch.most), &known);
        self.function.open_scope();
        let at = self.function.declare(range.var);
        self.batched(&before, (&batch, given), (&at, &known), |printer| {
            printer.note_loop(id, Form::Plain, Some(Ahead::Batched));
            printer.note_counter(range);
            printer.statements(body);
        });
        self.function.close_scope();
        true
    }

    /// The variables of the code around that a body changes, besides the counter, if it does nothing else.
    fn given(&self, counted: Counted<'_>) -> Option<Vec<VarId>> {
        let mut vars = self.only_changes(None, counted.body)?;
        vars.retain(|var| *var != counted.counter);
        Some(vars)
    }

    /// Prints the functions that a call is given: a body, which compares indices with copies of these variables, or the comparisons
    /// and a body.
    fn batched(
        &mut self,
        before: &str,
        (batch, given): (&Batch<'_>, Option<Vec<VarId>>),
        (at, known): (&str, &Known<'_>),
        print: impl FnOnce(&mut Self),
    ) {
        let own = format!(" {at}");
        let (before, vars) = match given {
            Some(vars) => (before, vars),
            None => {
                self.checked_lambda(before, &[&own], known, |printer| printer.compare_ahead(batch));
                self.function.close("},");
                ("", Vec::new())
            }
        };
        let changed: Vec<String> = vars.iter().map(|var| format!("& {}", self.var(*var))).collect();
        let params: Vec<&str> = std::iter::once(&own).chain(&changed).map(String::as_str).collect();
        self.checked_lambda(before, &params, known, print);
        self.close_call(&vars);
    }

    /// Prints the comparisons of an iteration's indices.
    fn compare_ahead(&mut self, batch: &Batch<'_>) {
        let stmts: Vec<Stmt> = batch.lets.iter().map(|stmt| (*stmt).clone()).collect();
        self.sequence(&stmts);
        for (base, index, at) in &batch.indices {
            let compared = self.compared(base, index, *at);
            self.function.push(&format!("{compared};"));
        }
    }
}

/// Iterations at a time: what they read fits registers, and compilers are not given more than a few hundred operations.
fn most_of(body: &Block) -> usize {
    let (mut parts, mut reads) = (0, 0);
    visit::exprs(body, &mut |e| {
        parts += 1;
        reads += usize::from(matches!(e.kind, ExprKind::Index { .. }));
    });
    match (reads, parts) {
        (..=2, ..=MOST_PARTS) => 16,
        (_, ..=MOST_PARTS) => 8,
        _ => 4,
    }
}

/// The statements of a body before that which adds to the counter.
pub(super) fn rest(body: &Block) -> &[Stmt] {
    body.stmts.split_last().map_or(&[], |(_, rest)| rest)
}

/// Whether something in a body leaves the loop or an iteration.
pub(super) fn jumps(body: &Block) -> bool {
    let mut jumps = false;
    visit::stmts(body, &mut |stmt| {
        jumps |= matches!(stmt.kind, StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Return(_));
    });
    jumps
}
