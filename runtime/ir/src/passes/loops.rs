//! Loops: what holds in each of their iterations, and after them.

use super::counter::{Counter, Pile, counters, queued, stacked};
use super::elide::Walk;
use super::invariant::{Assigned, Entry, assigned_integers, is_guarded};
use super::orders::Head;
use crate::ir::{Block, Expr, ExprKind, LoopId, Quantity, RangeLoop, StmtKind, visit};
use crate::ranges::{Known, Range, assigned, integer, root, same};

impl Walk<'_> {
    pub(super) fn while_loop(&mut self, id: LoopId, cond: &mut Expr, body: &mut Block) {
        let (entry, before) = (self.known.clone(), self.ranges_of(&assigned_integers(body)));
        self.known.forget(&assigned(body));
        let mut stays = self.known.clone();
        stays.extend(self.implied(cond, true));
        let piles = queued(id, body, &self.scope, (&entry, &stays), &self.untracked);
        let outer = self.hold(&throughout(&piles));
        self.products(id, Some(cond), body, &entry);
        let found = self.invariants(Some(cond), body, before.clone());
        self.hold(&found);
        let (heads, around) = (self.heads(id, Some(cond), body, &before), self.known.clone());
        heads.into_iter().for_each(|(var, range)| self.known.learn(&var, range));
        let begins = |known: &mut Known| {
            piles.iter().for_each(|pile| known.learn(&pile.place, pile.begins.clone()));
        };
        let head = self.known.clone();
        begins(&mut self.known);
        let orders = self.orders(id, Head::While(cond), body, &entry);
        // Where the condition is asked for the last time, everything may have been raised.
        self.known = head;
        self.known.learn_orders(orders);
        self.give_symbols(&assigned(body));
        self.mark(cond);
        let (mut stays, ends) = (self.implied(cond, true), self.implied(cond, false));
        begins(&mut stays);
        self.with(stays, |walk| walk.looped(body));
        self.lasting.truncate(outer);
        if breaks(body, id) {
            self.known = around;
            self.known.forget_products(&assigned(body));
        } else {
            self.known.extend(ends);
        }
    }

    /// The ranges of integers that may be tracked.
    fn ranges_of(&self, places: &[Expr]) -> Vec<Entry> {
        let tracked =
            places.iter().filter(|place| !root(place).is_some_and(|var| self.untracked.contains(&var)));
        tracked.map(|place| (place.clone(), self.range_at(place))).collect()
    }

    /// Adds ranges that hold wherever they stand in the loop that begins; how many there were around it.
    fn hold(&mut self, found: &[(Expr, Range)]) -> usize {
        let outer = self.lasting.len();
        self.lasting.extend(found.iter().cloned());
        found.iter().for_each(|(var, range)| self.known.learn(var, range.clone()));
        outer
    }

    /// Returns whether the walk for invariants has used its budget.
    pub(super) fn is_spent(&self) -> bool {
        self.budget == 0
    }

    /// The values that the body of a loop assigns in an iteration, under known ranges of its variables.
    pub(super) fn assigned_under(
        &mut self,
        cond: Option<&Expr>,
        body: &Block,
        facts: &[(Expr, Range)],
    ) -> Assigned {
        let (known, exits) = (self.known.clone(), std::mem::take(&mut self.exits));
        let around = self.assigned.replace(Assigned::new());
        let before = std::mem::replace(&mut self.symbols_before, self.scope.symbols());
        let outer = self.hold(facts);
        self.give_symbols(&assigned(body));
        if let Some(cond) = cond {
            let stays = self.implied(cond, true);
            self.known.extend(stays);
        }
        self.block(&mut body.clone());
        // Assumptions of this walk hold nowhere else.
        self.scope.undefine(body);
        self.lasting.truncate(outer);
        (self.known, self.symbols_before, self.exits) = (known, before, exits);
        std::mem::replace(&mut self.assigned, around).unwrap_or_default()
    }

    /// What a look finds at the end of an iteration that begins with more facts, and of which nothing is noted.
    pub(super) fn after_iteration<R>(
        &mut self,
        cond: Option<&Expr>,
        body: &Block,
        begins: impl FnOnce(&mut Known),
        look: impl FnOnce(&Self) -> R,
    ) -> R {
        let (known, around) = (self.known.clone(), self.assigned.replace(Assigned::new()));
        let exits = std::mem::take(&mut self.exits);
        begins(&mut self.known);
        if let Some(cond) = cond {
            let stays = self.implied(cond, true);
            self.known.extend(stays);
        }
        self.ending(&mut body.clone(), &[]);
        let found = look(self);
        self.scope.undefine(body);
        (self.known, self.assigned, self.exits) = (known, around, exits);
        found
    }

    pub(super) fn range_loop(&mut self, id: LoopId, range: &mut RangeLoop, body: &mut Block) {
        for e in [Some(&mut range.start), Some(&mut range.end), range.step.as_mut()].into_iter().flatten() {
            self.mark(e);
        }
        self.narrow_loop(range);
        let (start, end) =
            (self.scope.range(&range.start, &self.known), self.scope.range(&range.end, &self.known));
        let (entry, mut found, mut piles) = (self.known.clone(), Vec::new(), Vec::new());
        let mut entered = self.ranges_of(&assigned_integers(body));
        // The loop gives its own variable other values too.
        entered.retain(|(place, _)| root(place) != Some(range.var));
        self.known.forget(&assigned(body));
        let before = self.known.clone();
        if !self.scope.is_mutable(range.var) && integer(&range.start).is_some() {
            let past = if range.inclusive { end.high.clone().plus(1) } else { end.high.clone() };
            let high = last_step(range, &past).unwrap_or_else(|| past.plus(-1));
            let needs = end.needs.clone();
            self.scope.ranges.insert(range.var, Range { high, needs, ..start });
            let var = Expr { kind: ExprKind::Var(range.var), ty: range.start.ty.clone() };
            self.known.stays_below(&var, &range.end, range.inclusive);
            self.known.stays_above(&var, &range.start);
            // The ends were evaluated before the first iteration.
            self.known.forget(&assigned(body));
            self.known.forget(&self.untracked);
            found = counters(range, body, &self.scope, &entry, &self.known, &self.untracked);
            piles = stacked(range, body, &self.scope, (&entry, &self.known), &self.untracked);
        }
        let (mut begins, mut whole, mut after) = (Vec::new(), Vec::new(), Vec::new());
        for Counter { place, begins: own, whole: any, after: least } in found {
            after.extend(least.map(|least| (place.clone(), least)));
            begins.push((place.clone(), own));
            whole.push((place, any));
        }
        let (outer, counted) = (self.hold(&throughout(&piles)), self.counters.len());
        self.counters.extend(whole.iter().cloned());
        begins.extend(piles.iter().map(|pile| (pile.place.clone(), pile.begins.clone())));
        begins.iter().for_each(|(var, range)| self.known.learn(var, range.clone()));
        // What the loop compares with a constant may stay below it, too.
        let counts = |place: &Expr| whole.iter().any(|(counter, _)| same(counter, place));
        entered.retain(|(place, _)| !counts(place) || is_guarded(place, body));
        self.products(id, None, body, &entry);
        let invariants = self.invariants(None, body, entered.clone());
        self.hold(&invariants);
        let heads = self.heads(id, None, body, &entered);
        heads.iter().for_each(|(var, range)| self.known.learn(var, range.clone()));
        let orders = self.orders(id, Head::For(range), body, &entry);
        self.known.learn_orders(orders.iter().cloned());
        self.give_symbols(&assigned(body));
        self.looped(body);
        self.lasting.truncate(outer);
        self.counters.truncate(counted);
        self.known = before;
        whole.extend(invariants);
        whole.extend(throughout(&piles));
        whole.extend(after);
        whole.extend(heads.into_iter().filter(|_| !breaks(body, id)));
        whole.into_iter().for_each(|(var, range)| self.known.learn(&var, range));
        if !breaks(body, id) {
            self.known.learn_orders(orders.into_iter().filter(|(_, more, _)| !more.is_var(range.var)));
        }
    }

    /// The body of a loop.
    fn looped(&mut self, body: &mut Block) {
        let by = |walk: &mut Self, n: isize| {
            walk.notes.iter_mut().for_each(|notes| notes.loops = notes.loops.saturating_add_signed(n));
        };
        by(self, 1);
        self.block(body);
        by(self, -1);
    }
}

/// The ranges of piles that hold wherever they stand in a loop, and after it.
fn throughout(piles: &[Pile]) -> Vec<(Expr, Range)> {
    piles.iter().map(|pile| (pile.place.clone(), pile.whole.clone())).collect()
}

/// The last value of a loop whose start and step are constants, if its end is one too, or a multiple of the step.
fn last_step(range: &RangeLoop, past: &Quantity) -> Option<Quantity> {
    let (start, step) = (range.start.as_int()?, range.step.as_ref()?.as_int().filter(|step| *step > 0)?);
    match past.as_const() {
        Some(past) => (start < past).then(|| Quantity::Const(start + (past - 1 - start) / step * step)),
        None if start % step == 0 && past.is_multiple_of(step) => Some(past.clone().plus(-step)),
        None => None,
    }
}

/// Returns whether a block leaves a loop.
fn breaks(block: &Block, id: LoopId) -> bool {
    let mut found = false;
    visit::stmts(block, &mut |stmt| found |= matches!(stmt.kind, StmtKind::Break(of) if of == id));
    found
}
