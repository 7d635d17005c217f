//! Loops with a condition that count up to an end, printed twice as loops over ranges are.
//!
//! The end may be read of memory that the loop does not write, as a cursor along a row reads it. Then it is read once, before
//! the loop, and a comparison of it with a length proves the indices that the counter runs along. Checks that the end has passed
//! are not repeated in the loop.

use std::collections::HashSet;

use super::Printer;
use super::batches::Counted;
use super::known_inside::{Along, Early};
use super::loop_head::{Form, Head};
use super::precedence::{ASSIGNMENT, Text, UNARY};
use crate::ir::{BinaryOp, Block, Expr, ExprKind, LoopId, StmtKind, VarId, visit};
use crate::ranges::{changed, integer};

/// `while at < end && … { …; at += 1; }`
struct Counting<'e> {
    at: &'e Expr,
    counter: VarId,
    end: &'e Expr,
    /// Whether nothing else ends the loop.
    is_alone: bool,
    /// Variables that the body changes or lends.
    changed: HashSet<VarId>,
}

impl Printer<'_> {
    /// Prints a loop with a condition once without checks that leave, or with fewer of them, and once with all; whether it was
    /// printed.
    pub(super) fn while_twice(&mut self, id: LoopId, cond: &Expr, body: &Block) -> bool {
        let Some(counting) = self.counts_up(cond, body) else { return false };
        let (before, evaluated) = (self.function.early.len(), self.function.evaluated.len());
        let text = self.expr(counting.end);
        self.pass_fixed(&counting);
        let along = match self.function.along.is_empty() {
            true => self.runs(counting.counter, Some(cond), body),
            false => Vec::new(),
        };
        let may_be_hoisted = !along.is_empty() && self.may_be_twice(id, body);
        let is_hoisted = may_be_hoisted && self.are_all(&along, Some(cond), body);
        let counted = Counted { id, counter: counting.counter, body, changed: &counting.changed };
        let batch = self.batch(counted, &along).filter(|_| counting.is_alone && !is_hoisted);
        let trial = match is_hoisted || batch.is_some() {
            true => None,
            false => self.trial_of(Some(cond), body, &along),
        };
        let is_twice = may_be_hoisted || batch.is_some() || trial.is_some();
        if is_twice {
            self.function.open("{");
            let head = self.head_of(&counting, text);
            let looped = While { id, cond, body };
            match (batch, trial) {
                (Some(batch), _) => {
                    self.batches(&batch, counted, &head, along);
                    self.while_once(id, cond, body);
                }
                (None, Some(changed)) => self.while_tried(&looped, &head, along, &changed),
                (None, None) => self.while_hoisted(&looped, &head, along),
            }
            self.function.evaluated.truncate(evaluated);
            self.function.close("}");
        }
        self.function.early.truncate(before);
        is_twice
    }

    /// Prints a loop without checks for the case that one comparison proves them.
    fn while_hoisted(&mut self, looped: &While<'_>, head: &Head<'_>, along: Vec<Along>) {
        let inside = self.are_inside(&along, true, head);
        self.function.open(&format!("if ({}) {{", inside.join(" && ")));
        self.function.along = along;
        self.while_once(looped.id, looped.cond, looped.body);
        self.function.along = Vec::new();
        self.function.close("} else {");
        self.function.deepen();
        self.while_once(looped.id, looped.cond, looped.body);
        self.function.close("}");
    }

    /// Tries a loop with checks that do not leave.
    fn while_tried(&mut self, looped: &While<'_>, head: &Head<'_>, along: Vec<Along>, changed: &[VarId]) {
        let While { id, cond, body } = *looped;
        let kept = self.keep_all(changed);
        let (at, end) = (head.start.clone().at(UNARY), head.end.clone().at(UNARY));
        let failed = self.function.reserve("failed");
        let mut inside = self.are_inside(&along, true, head);
        let slices = self.tried_slices(&along, Some(cond), body);
        inside.extend(self.are_some(&slices));
        let outside =
            if inside.is_empty() { String::new() } else { format!(" || !({})", inside.join(" && ")) };
        self.function.push(&format!("bool {failed} = {at} < {end} && (ws_is_long({at}, {end}){outside});"));
        let around = std::mem::replace(&mut self.function.along, along);
        self.try_loop(&failed, &slices, |printer| printer.while_once(id, cond, body));
        self.function.along = around;
        self.function.open(&format!("if ({failed}) {{"));
        self.restore(kept);
        self.while_once(id, cond, body);
        self.function.close("}");
    }

    /// The first number and the end of a loop; an end that is read of memory is read here.
    fn head_of(&mut self, counting: &Counting<'_>, text: Text) -> Head<'static> {
        let Counting { at, end, .. } = counting;
        let scalar = super::types::scalar_of(&at.ty);
        let end = match self.is_fixed(end) {
            true => text,
            false => {
                let (ty, name) = (self.ty(&end.ty), self.function.reserve("end"));
                self.function.push(&format!("const {ty} {name} = {};", text.at(ASSIGNMENT)));
                self.function.evaluated.push((*end as *const Expr, name.clone()));
                Text::primary(name)
            }
        };
        Head { form: Form::Plain, start: self.expr(at), end, step: None, scalar }
    }

    /// Notes the checks that the end has passed, where the loop leaves their indices as they are.
    fn pass_fixed(&mut self, counting: &Counting<'_>) {
        let mut passed = Vec::new();
        visit::expr(counting.end, &mut |e| {
            if let ExprKind::Index { base, index, .. } = &e.kind
                && self.is_checked_index(e)
                && self.is_kept(index, &counting.changed)
            {
                passed.push((&**base, &**index));
            }
        });
        for (base, index) in passed {
            let text = self.argument(index);
            let lasting = Some((base.clone(), index.clone()));
            self.function.early.push(Early { node: index, lasting, text });
        }
    }

    /// The counter and the end of a loop whose first condition is `at < end`, and whose last statement alone adds one.
    fn counts_up<'e>(&self, cond: &'e Expr, body: &Block) -> Option<Counting<'e>> {
        let mut first = cond;
        while let ExprKind::Binary(BinaryOp::And, left, _) = &first.kind {
            first = left;
        }
        let ExprKind::Binary(BinaryOp::Lt, at, end) = &first.kind else { return None };
        let ExprKind::Var(counter) = at.kind else { return None };
        integer(at)?;
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
        let (mut assigned, mut is_written) = (0, false);
        visit::stmts(body, &mut |stmt| {
            let StmtKind::Assign { place, .. } = &stmt.kind else { return };
            assigned += usize::from(is_counter(place));
            is_written |= !place.is_in_variable();
        });
        let changed = changed(body);
        let stays = self.is_fixed(end) || !is_written && self.is_read_once(end, &changed);
        (is_counter(place) && by.as_int() == Some(1) && assigned == 1 && stays).then_some(Counting {
            at,
            counter,
            end,
            is_alone: std::ptr::eq(first, cond),
            changed,
        })
    }

    /// Whether an expression gives the same each time if no memory is written: it may be read once before a loop.
    fn is_read_once(&self, e: &Expr, changed: &HashSet<VarId>) -> bool {
        let mut is_same = self.is_all_pure(e);
        visit::expr(e, &mut |e| {
            is_same &= match &e.kind {
                ExprKind::Var(var) => self.stays(*var, changed),
                ExprKind::Call { .. } | ExprKind::Builtin { .. } => false,
                // A check in a part that is not evaluated is not passed.
                _ => e.lazy().is_none(),
            };
        });
        is_same
    }
}

/// A loop with a condition.
struct While<'e> {
    id: LoopId,
    cond: &'e Expr,
    body: &'e Block,
}
