//! Which of two variables is not more than the other where an iteration of a loop begins, as of marks that follow each other in a text:
//! `start` and `i` of `&text[start..i]`.

use std::collections::HashSet;

use super::elide::Walk;
use crate::ir::{
    BinaryOp, Block, ConstValue, Expr, ExprKind, LoopId, Quantity, RangeLoop, Scalar, StmtKind, Type, VarId,
    visit,
};
use crate::limits;
use crate::ranges::{
    Known, Order, Range, assigned, declared, has_load, integer, is_readable, mentions, same, strip,
};

/// Claims that are tried about a loop.
const MOST_CLAIMS: usize = 8;

/// Orders at the end of a branch that are looked for at the ends of the others.
const MOST_COMMON: usize = 16;

/// The head of a loop.
#[derive(Clone, Copy)]
pub(super) enum Head<'h> {
    While(&'h Expr),
    For(&'h RangeLoop),
}

impl<'h> Head<'h> {
    fn cond(self) -> Option<&'h Expr> {
        if let Head::While(cond) = self { Some(cond) } else { None }
    }

    fn range(self) -> Option<&'h RangeLoop> {
        if let Head::For(range) = self { Some(range) } else { None }
    }
}

impl Walk<'_> {
    /// The orders of variables that hold where an iteration of a loop begins; `entry` holds before the loop.
    ///
    /// The candidates are what is known before the loop, and the ends of parts of slices that the loop takes. Those are right that hold before
    /// the loop, and that an iteration keeps.
    pub(super) fn orders(&mut self, id: LoopId, head: Head<'_>, body: &Block, entry: &Known) -> Vec<Order> {
        if visit::continues(body, id) {
            return Vec::new();
        }
        let mut claims = self.claims(head, body, entry);
        while !claims.is_empty() {
            if self.is_spent() {
                return Vec::new();
            }
            let kept = self.kept_orders(head, body, &claims);
            if kept.len() == claims.len() {
                break;
            }
            claims = kept;
        }
        claims
    }

    /// The orders that hold before a loop and may hold in it.
    fn claims(&self, head: Head<'_>, body: &Block, entry: &Known) -> Vec<Order> {
        let changed = assigned(body);
        let counter = head.range().filter(|range| !range.reversed && !self.scope.is_mutable(range.var));
        let is_counter = |e: &Expr| counter.is_some_and(|range| e.is_var(range.var));
        let changes = |e: &Expr| matches!(e.kind, ExprKind::Var(var) if changed.contains(&var));
        // A variable that an iteration declares, or that the loop gives any number, is another one in the next.
        let mut inner = declared(body);
        inner.extend(head.range().filter(|_| counter.is_none()).map(|range| range.var));
        let is_own = |e: &Expr| matches!(e.kind, ExprKind::Var(var) if !self.untracked.contains(&var) && !inner.contains(&var));
        let mut all: Vec<Order> = Vec::new();
        let mut add = |(a, b, strictly): &Order| {
            let (a, b) = (strip(a), strip(b));
            let is_one = |e: &Expr| is_own(e) || self.lasts(e) && !mentions(e, &inner);
            let may_hold = is_one(a) && is_one(b) && (changes(a) || changes(b)) && !is_counter(a);
            if !may_hold || integer(a).is_none() || a.ty != b.ty {
                return;
            }
            for strictly in [false, *strictly] {
                let is_new = |(less, more, of): &Order| !same(less, a) || !same(more, b) || *of != strictly;
                if all.iter().all(is_new) {
                    all.push((a.clone(), b.clone(), strictly));
                }
            }
        };
        entry.orders().iter().filter(|(_, more, _)| !is_counter(more)).for_each(&mut add);
        let copies = copies(body);
        let named =
            |e: &Expr| copies.iter().find(|(copy, _)| same(copy, strip(e))).map_or(e, |(_, of)| of).clone();
        visit::exprs(body, &mut |e| {
            if let ExprKind::SubSlice { start: Some(start), end: Some(end), .. } = &e.kind {
                add(&(named(start), named(end), false));
            }
        });
        all.retain(|(a, b, strictly)| {
            let first = counter.filter(|_| is_counter(b)).map_or(b, |range| &range.start);
            if *strictly { entry.is_less(a, first) } else { self.is_at_most(a, first, entry) }
        });
        all.truncate(MOST_CLAIMS);
        all
    }

    /// Whether an expression is an operation that gives the same wherever it stands.
    fn lasts(&self, e: &Expr) -> bool {
        matches!(e.kind, ExprKind::Builtin { .. })
            && self.scope.is_stable(e)
            && is_readable(e)
            && !has_load(e)
            && !mentions(e, &self.untracked)
    }

    /// Of some orders, those that an iteration keeps.
    fn kept_orders(&mut self, head: Head<'_>, body: &Block, claims: &[Order]) -> Vec<Order> {
        let begins = |known: &mut Known| known.learn_orders(claims.iter().cloned());
        self.after_iteration(head.cond(), body, begins, |walk| {
            let is_kept = |(a, b, strictly): &&Order| match head.range() {
                // The next number of the loop is more by one at least, which does not wrap.
                Some(range) if b.is_var(range.var) => {
                    walk.is_at_most(a, b, &walk.known) || !strictly && walk.known.is_ordered(a, &plus_one(b))
                }
                _ if *strictly => walk.known.is_less_through(a, b),
                _ => walk.is_at_most(a, b, &walk.known),
            };
            claims.iter().filter(is_kept).cloned().collect()
        })
    }

    /// Learns the length of a part of a slice that a variable holds. The part has elements if its start is less than its end, and it has as
    /// many as the count that it was made with: it was in bounds, or the thread has left.
    pub(super) fn learn_length(&mut self, var: VarId, init: &Expr) {
        let ExprKind::SubSlice { start, end: Some(end), .. } = &init.kind else { return };
        if self.scope.is_mutable(var) {
            return;
        }
        let len = Expr { kind: ExprKind::Len(self.scope.read_var(var).into()), ty: Type::U64 };
        if start.as_ref().is_some_and(|start| self.known.is_less_through(start, end)) {
            self.learn(&len, Range::at_least(Scalar::U64, Quantity::Const(1), Vec::new()));
        }
        let count = match start {
            None => Some(&**end),
            Some(start) => self.scope.distance(start, end),
        };
        // What a launch knows of the length is not to be mixed with what only the device knows.
        let Some(count) = count.filter(|_| self.scope.extent(init).is_none()) else { return };
        if mentions(count, &self.untracked) || !self.scope.is_lent(count) || !is_readable(count) {
            return;
        }
        let made = self.scope.range(count, &self.known);
        let own = match (made.low.as_const(), made.high.as_const()) {
            // A number that was narrower than lengths are stays below what its type holds.
            (Some(low), Some(high)) if made.all_needs().is_empty() && high < limits::ELEMENTS => {
                Range::exactly(self.scope.fresh_symbol([low.max(0), high.max(0)]))
            }
            _ => self.scope.range(&len, &self.known),
        };
        let count = count.clone();
        self.learn(&len, made);
        self.learn(&len, own.clone());
        self.learn(&count, own);
    }

    /// The orders of a number and the lengths of slices that change, which it is told not to exceed: what is cut off of one, as in
    /// `let n = if p.len() > 8 { 8 } else { 1 }`.
    pub(super) fn cuts(&self, place: &Expr, fits: impl Fn(&Expr) -> bool) -> Vec<Order> {
        let is_other = |len: &Expr| len.ty == place.ty && !same(len, place);
        let lens = self.scope.len_vars(|_| true).into_iter().filter(|len| is_other(len) && fits(len));
        lens.map(|len| (place.clone(), len, false)).collect()
    }

    /// Whether a number is no more than another in every launch.
    pub(super) fn is_at_most(&self, a: &Expr, b: &Expr, known: &Known) -> bool {
        same(a, b)
            || self.in_order(a, b, known).is_some_and(|needs| needs.is_empty())
            || matches!(&b.kind, ExprKind::Binary(BinaryOp::Add, w, by)
                if known.is_exact_sum(w, by, &self.scope) && self.is_at_most(a, w, known))
    }

    /// The orders that hold at the ends of all of some branches, about variables that these assign.
    pub(super) fn common_orders(&self, ends: Vec<&Known>, changed: &HashSet<VarId>) -> Vec<Order> {
        let mut all: Vec<Order> = Vec::new();
        for (at, end) in ends.iter().enumerate() {
            let own = end.orders().iter().filter(|(a, b, _)| mentions(a, changed) || mentions(b, changed));
            for (a, b, strictly) in own.take(MOST_COMMON) {
                let others =
                    || ends.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, end)| *end);
                let is_new = !all.iter().any(|(less, more, _)| same(less, a) && same(more, b));
                if is_new && others().all(|other| self.is_at_most(a, b, other)) {
                    let strictly = *strictly && others().all(|other| other.is_less(a, b));
                    all.push((a.clone(), b.clone(), strictly));
                }
            }
        }
        all
    }
}

/// The variables that a block declares with the value of another, and those.
fn copies(body: &Block) -> Vec<(Expr, Expr)> {
    let mut all = Vec::new();
    visit::stmts(body, &mut |stmt| {
        if let StmtKind::Let { var, init: Some(init) } = &stmt.kind
            && matches!(init.kind, ExprKind::Var(_))
        {
            all.push((Expr { kind: ExprKind::Var(*var), ty: init.ty.clone() }, init.clone()));
        }
    });
    all
}

fn plus_one(e: &Expr) -> Expr {
    Expr::binary(BinaryOp::Add, e.clone(), Expr::constant(ConstValue::Int(1), e.ty.clone()))
}
