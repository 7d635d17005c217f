//! Loops that count up and read at indices which are themselves read: the indices of a few iterations are compared at once.
//!
//! A check that may end the thread stands between a loop's loads. Where all indices of the next iterations can be computed
//! before them, one branch tells whether these iterations need no checks. The loop with all checks does the last
//! iterations, and those in which an index is out of bounds: it begins where the other one has stopped, so nothing is
//! restored.

use std::collections::HashSet;

use super::Printer;
use super::known_inside::{Along, Indexed};
use super::loop_head::{Form, Head};
use super::precedence::UNARY;
use crate::ir::{Block, Expr, ExprKind, LoopId, Stmt, StmtKind, Type, VarId, visit};

/// Iterations whose indices are compared at once.
const ITERATIONS: usize = 4;
/// Indices of an iteration at most.
const MOST_INDICES: usize = 6;

/// The indices that are compared before some iterations.
pub(super) struct Batch<'e> {
    /// Variables of the body that they are made of.
    lets: Vec<&'e Stmt>,
    /// The indexed slices and the indices.
    indices: Vec<(&'e Expr, &'e Expr)>,
}

/// A loop that counts up.
#[derive(Clone, Copy)]
pub(super) struct Counted<'e> {
    pub id: LoopId,
    pub counter: VarId,
    pub body: &'e Block,
    /// Variables that the body changes or lends.
    pub changed: &'e HashSet<VarId>,
}

impl Printer<'_> {
    /// The indices that a loop's body checks, besides those that its counter runs along, if all of them can be computed some
    /// iterations before.
    pub(super) fn batch<'e>(&self, counted: Counted<'e>, along: &[Along]) -> Option<Batch<'e>> {
        let Counted { id, body, .. } = counted;
        let is_asked = self.checks() && !self.gpu_checks().any() && self.module.coarsened.is_none();
        if !is_asked || self.function.trial.is_some() || !self.may_be_twice(id, body) || jumps(body) {
            return None;
        }
        let mut batch = Batch { lets: Vec::new(), indices: Vec::new() };
        for stmt in &body.stmts {
            if visit::blocks(stmt).into_iter().any(|inner| self.checks_in(inner)) {
                return None;
            }
            for e in visit::operands(stmt) {
                self.find_indices(e, along, &mut batch.indices)?;
            }
        }
        let found = batch.indices.clone();
        for (_, index) in &found {
            self.find_lets(index, counted, along, &mut batch.lets)?;
        }
        (1..=MOST_INDICES).contains(&found.len()).then_some(batch)
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
        found: &mut Vec<(&'e Expr, &'e Expr)>,
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
        let ExprKind::Index { base, index, .. } = &e.kind else { return None };
        if self.is_one_of(along, base, index) {
            return Some(());
        }
        let Some(Indexed::Slice(slice)) = self.length_of(base) else { return None };
        let is_number = index.ty.scalar().is_some_and(|scalar| scalar.bits() >= 32);
        found.push((base, index));
        (is_number && !self.function.var(slice).mutable).then_some(())
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

    /// Prints some iterations at a time without checks as long as no index of theirs is out of bounds.
    pub(super) fn batches(
        &mut self,
        batch: &Batch<'_>,
        counted: Counted<'_>,
        head: &Head<'_>,
        along: Vec<Along>,
    ) {
        let inside = self.are_inside(&along, true, head);
        if !inside.is_empty() {
            self.function.open(&format!("if ({}) {{", inside.join(" && ")));
        }
        let (at, end) = (self.var(counted.counter), head.end.clone().at(UNARY));
        let wide = if head.scalar.bits() > 32 { "(unsigned long long)" } else { "(unsigned int)" };
        let around = std::mem::replace(&mut self.function.along, along);
        self.function.open(&format!("while ({at} < {end} && {wide}{end} - {wide}{at} >= {ITERATIONS}) {{"));
        self.compare_ahead(batch, &at, super::types::scalar(head.scalar));
        self.function.ahead = batch.indices.iter().map(|(_, index)| *index as *const Expr).collect();
        self.note_loop(counted.id, Form::Plain);
        self.function.push("#pragma unroll");
        let turn = self.function.reserve("turn");
        self.function.open(&format!("for (int {turn} = 0; {turn} < {ITERATIONS}; ++{turn}) {{"));
        self.statements(counted.body);
        self.function.close("}");
        self.function.ahead = Vec::new();
        self.function.close("}");
        self.function.along = around;
        if !inside.is_empty() {
            self.function.close("}");
        }
    }

    /// Prints the comparisons of the next iterations' indices. The counter's name is that of its value in each of them.
    fn compare_ahead(&mut self, batch: &Batch<'_>, at: &str, ty: &str) {
        let [outside, ahead, next] = ["outside", "ahead", "next"].map(|name| self.function.reserve(name));
        self.function.push(&format!("bool {outside} = false;"));
        self.function.push("#pragma unroll");
        self.function.open(&format!("for (int {ahead} = 0; {ahead} < {ITERATIONS}; ++{ahead}) {{"));
        self.function.push(&format!("const {ty} {next} = {at} + {ahead};"));
        self.function.push(&format!("const {ty} {at} = {next};"));
        let stmts = batch.lets.iter().map(|stmt| (*stmt).clone()).collect();
        self.function.open_scope();
        self.statements(&Block { stmts });
        for (base, index) in &batch.indices {
            let len = self.checked_len(base);
            let len = if self.is_short(base, index) { format!("ws_int({len})") } else { len };
            let index = self.argument(index);
            self.function.push(&format!("{outside} |= ws_is_outside({index}, {len});"));
        }
        self.function.close_scope();
        self.function.close("}");
        self.function.push(&format!("if ({outside}) break;"));
    }
}

/// Whether something in a body leaves the loop or an iteration.
fn jumps(body: &Block) -> bool {
    let mut jumps = false;
    visit::stmts(body, &mut |stmt| {
        jumps |= matches!(stmt.kind, StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Return(_));
    });
    jumps
}
