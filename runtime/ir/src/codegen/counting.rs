//! Loops with a condition that count up to an end, compiled twice as loops over ranges are.
//!
//! The end may be read of memory that the loop does not write, as a cursor along a row reads it. Then it is read once, before
//! the loop, and a comparison of it with a length proves the indices that the counter runs along. Checks that the end has passed
//! are not repeated in the loop.

use std::collections::HashSet;

use super::batches::{Counted, rest};
use super::hoisted::may_skip;
use super::known_inside::Early;
use super::loop_head::{Form, Head};
use super::once::Known;
use super::precedence::{ASSIGNMENT, Text, UNARY};
use super::{Ahead, Printer};
use crate::ir::{BinaryOp, Block, Expr, ExprKind, LoopId, Scalar, StmtKind, VarId, visit};
use crate::ranges::{changed, integer};

/// `while at < end && … { …; at += 1; }`
struct Counting<'e> {
    at: &'e Expr,
    counter: VarId,
    end: &'e Expr,
    /// Whether nothing else ends the loop.
    is_alone: bool,
    /// Whether the counter takes all numbers from its first one up to the end.
    by_one: bool,
    /// Variables that the body changes or lends.
    changed: HashSet<VarId>,
}

impl Printer<'_> {
    /// Prints a loop with a condition that is compiled without checks that leave, or with fewer of them, and with all; whether it
    /// was printed.
    pub(super) fn while_twice(&mut self, id: LoopId, cond: &Expr, body: &Block) -> bool {
        self.while_counted(id, cond, body) || self.while_below_ends(id, cond, body)
    }

    /// The same of a loop that counts up to an end.
    fn while_counted(&mut self, id: LoopId, cond: &Expr, body: &Block) -> bool {
        let Some(counting) = self.counts_up(cond, body) else { return false };
        let (before, evaluated) = (self.function.early.len(), self.function.evaluated.len());
        let text = self.expr(counting.end);
        self.pass_fixed(&counting);
        let mut along = self.runs(counting.counter, Some(cond), body);
        along.retain(|own| counting.by_one || may_skip(own));
        let may_be_hoisted = !along.is_empty() && self.may_be_twice(id, body);
        let is_hoisted = may_be_hoisted && self.are_all(&along, Some(cond), body);
        // Fewer checks of a counter with a stride save nothing, where others are left.
        let may_be_hoisted = is_hoisted || may_be_hoisted && counting.by_one;
        let scalar = super::types::scalar_of(&counting.at.ty);
        let counted = Counted { id, counter: counting.counter, body, changed: &counting.changed };
        let batch =
            self.batch(counted, &along).filter(|_| counting.is_alone && counting.by_one && !is_hoisted);
        let trial = match is_hoisted || batch.is_some() || !counting.by_one {
            true => None,
            false => self.trial_of(Some(cond), body, &along),
        };
        let is_twice = may_be_hoisted || batch.is_some() || trial.is_some();
        if is_twice {
            let ahead = match (&batch, &trial) {
                (Some(_), _) => Ahead::Batched,
                (None, Some(_)) => Ahead::Tried,
                (None, None) => Ahead::Compared,
            };
            let slices = if ahead == Ahead::Compared {
                Vec::new()
            } else {
                self.tried_slices(&along, Some(cond), body)
            };
            let known = Known { ahead, along: &along, slices: &slices };
            let is_called = counting.is_alone && ahead != Ahead::Compared;
            let limit = if is_called { self.limit(&known) } else { None };
            let head = match limit {
                Some(_) => {
                    Head { form: Form::Plain, start: self.expr(counting.at), end: text, step: None, scalar }
                }
                None => self.head_of(&counting, text),
            };
            let limit = limit.unwrap_or_else(|| self.inside(&known, true, &head));
            let looped = While { id, cond, body };
            let changed = trial.unwrap_or_default();
            match batch {
                Some(batch) => self.batches(&batch, counted, (&head.end.at(ASSIGNMENT), &limit), &known),
                None if is_called => self.while_called(
                    &looped,
                    &counting,
                    (&head.end.at(ASSIGNMENT), &limit),
                    &known,
                    &changed,
                ),
                None => self.while_inside(&looped, &head, &limit, &known, &changed),
            }
            self.function.evaluated.truncate(evaluated);
        }
        self.function.early.truncate(before);
        is_twice
    }

    /// Prints the body of a loop that is tried, which a function of the header calls.
    fn while_called(
        &mut self,
        looped: &While<'_>,
        counting: &Counting<'_>,
        (end, limit): (&str, &str),
        known: &Known<'_>,
        changed: &[VarId],
    ) {
        let at = self.var(counting.counter);
        let before = format!("ws_try_while({at}, {end}, {limit}, ws_fault, ");
        self.checked_lambda(&before, &[&format!(" {at}")], known, |printer| {
            printer.note_loop(looped.id, Form::Plain, Some(known.ahead));
            printer.sequence(rest(looped.body));
        });
        let vars: Vec<VarId> = changed.iter().copied().filter(|var| *var != counting.counter).collect();
        self.close_call(&vars);
    }

    /// Prints a loop with its condition, which is tried, or for which comparisons before it make some checks needless.
    fn while_inside(
        &mut self,
        looped: &While<'_>,
        head: &Head<'_>,
        inside: &str,
        known: &Known<'_>,
        changed: &[VarId],
    ) {
        let [at, end] = [&head.start, &head.end].map(|part| part.clone().at(UNARY));
        let before = match known.ahead {
            Ahead::Tried => {
                format!("ws_try({at} >= {end} || ({inside} && !ws_is_long({at}, {end})), ws_fault, ")
            }
            _ => format!("ws_twice({inside}, ws_fault, "),
        };
        self.checked_lambda(&before, &[], known, |printer| {
            printer.while_once(looped.id, looped.cond, looped.body);
        });
        self.close_call(changed);
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

    /// The counter and the end of a loop whose first condition is `at < end`, and whose last statement alone adds to the counter.
    fn counts_up<'e>(&self, cond: &'e Expr, body: &Block) -> Option<Counting<'e>> {
        let mut first = cond;
        while let ExprKind::Binary(BinaryOp::And, left, _) = &first.kind {
            first = left;
        }
        let ExprKind::Binary(BinaryOp::Lt, at, end) = &first.kind else { return None };
        // What was lent may be written by a pointer, between the comparison and an index.
        let ExprKind::Var(counter) = at.kind else { return None };
        integer(at).filter(|_| !self.function.lent.contains(&counter))?;
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
        let by_one = by.as_int() == Some(1);
        // A counter that wraps is below the end again before anything is indexed with it, and one without a sign is not negative.
        let ascends =
            by_one || at.ty.scalar().is_some_and(Scalar::is_unsigned) || self.is_added_to(op.is_none(), by);
        let is_alone = std::ptr::eq(first, cond);
        (is_counter(place) && ascends && assigned == 1 && stays).then_some(Counting {
            at,
            counter,
            end,
            is_alone,
            by_one,
            changed,
        })
    }

    /// Returns whether a sum with a number that is not negative is no less than before: a sum that is exact does not wrap.
    fn is_added_to(&self, is_exact: bool, by: &Expr) -> bool {
        is_exact && self.function.interval(by).is_some_and(|(least, _)| least >= 0)
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
