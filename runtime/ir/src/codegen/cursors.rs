//! Loops with a condition that compares cursors with ends, as a merge of two lists does: `while i < m && j < n`.
//!
//! An index that is such a cursor, or a sum with it, is below the same sum with the end where nothing has changed the cursor since the
//! comparison. If one comparison before the loop shows that the ends are in bounds, the loop needs no checks of these indices.

use std::collections::HashSet;

use super::known_inside::{Along, Run};
use super::loop_head::{Form, Head};
use super::once::Known;
use super::{Ahead, Printer};
use crate::ir::{BinaryOp, Block, Expr, ExprKind, LoopId, StmtKind, VarId, visit};
use crate::ranges::{changed, integer, root};

/// `at < end` of a condition.
struct Cursor<'e> {
    at: &'e Expr,
    var: VarId,
    end: &'e Expr,
    /// The parts of the condition after it, which are evaluated where it holds.
    rest: Vec<&'e Expr>,
}

impl Printer<'_> {
    /// Prints a loop all of whose checks rest on its condition, without them and with them; whether it was printed.
    pub(super) fn while_below_ends(&mut self, id: LoopId, cond: &Expr, body: &Block) -> bool {
        if !self.may_be_twice(id, body) {
            return false;
        }
        let (mut all, mut inside): (Vec<Along>, Vec<String>) = (Vec::new(), Vec::new());
        let changed = changed(body);
        for cursor in self.cursors(cond, &changed) {
            let mut along = self.runs(cursor.var, Some(cond), body);
            along.retain(|own| matches!(own.run, Run::Sum { .. }) && self.is_held(own, &cursor, cond, body));
            let [start, end] = [cursor.at, cursor.end].map(|part| self.expr(part));
            let scalar = super::types::scalar_of(&cursor.at.ty);
            let head = Head { form: Form::Plain, start, end, step: None, scalar };
            inside.extend(self.are_inside(&along, false, &head));
            all.extend(along);
        }
        if all.is_empty() || !self.are_all(&all, Some(cond), body) {
            return false;
        }
        let known = Known { ahead: Ahead::Compared, along: &all, slices: &[] };
        let before = format!("ws_twice({}, ws_fault, ", inside.join(" && "));
        self.checked_lambda(&before, &[], &known, |printer| printer.while_once(id, cond, body));
        self.close_call(&[]);
        true
    }

    /// The comparisons of a condition of numbers without a sign with ends that the loop leaves as they are.
    fn cursors<'e>(&self, cond: &'e Expr, changed: &HashSet<VarId>) -> Vec<Cursor<'e>> {
        let (mut parts, mut left) = (Vec::new(), cond);
        while let ExprKind::Binary(BinaryOp::And, first, last) = &left.kind {
            parts.push(&**last);
            left = first;
        }
        parts.push(left);
        parts.reverse();
        let cursor = |(i, part): (usize, &&'e Expr)| {
            let ExprKind::Binary(BinaryOp::Lt, at, end) = &part.kind else { return None };
            let ExprKind::Var(var) = at.kind else { return None };
            let is_plain = integer(at)?.is_unsigned() && !self.function.lent.contains(&var);
            (is_plain && self.is_kept(end, changed)).then(|| Cursor {
                at,
                var,
                end,
                rest: parts[i + 1..].to_vec(),
            })
        };
        parts.iter().enumerate().filter_map(cursor).collect()
    }

    /// Returns whether a loop evaluates an index only where its condition still holds for a cursor.
    fn is_held(&self, own: &Along, cursor: &Cursor<'_>, cond: &Expr, body: &Block) -> bool {
        let (mut all, mut held) = (0, 0);
        let count = |e: &Expr, of: &mut usize| {
            if let ExprKind::Index { base, index, .. } = &e.kind {
                *of += usize::from(self.is_one_of(std::slice::from_ref(own), base, index));
            }
        };
        visit::expr(cond, &mut |e| count(e, &mut all));
        visit::exprs(body, &mut |e| count(e, &mut all));
        cursor.rest.iter().for_each(|part| visit::expr(part, &mut |e| count(e, &mut held)));
        before_change(body, cursor.var, &mut |e| count(e, &mut held));
        all == held
    }
}

/// Visits the expressions that a block without loops evaluates before it changes a variable; returns whether it may have changed it.
fn before_change(block: &Block, var: VarId, look: &mut dyn FnMut(&Expr)) -> bool {
    for stmt in &block.stmts {
        visit::operands(stmt).into_iter().for_each(|e| visit::expr(e, &mut |e| look(e)));
        let mut changes = matches!(&stmt.kind, StmtKind::Assign { place, .. } if root(place) == Some(var));
        for inner in visit::blocks(stmt) {
            changes |= before_change(inner, var, look);
        }
        if changes {
            return true;
        }
    }
    false
}
