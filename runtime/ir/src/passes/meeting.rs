//! Where ways through a function meet again: behind branches, and behind blocks that `break` leaves.
//!
//! A labelled block is a loop that runs once. Nothing that it assigns has another value where it begins, so no claim about its iterations
//! is looked for. What holds behind it is what holds wherever it is left.

use std::collections::HashSet;

use super::elide::{Walk, leaves};
use super::exits::{End, Exits};
use super::invariant::assigned_integers;
use crate::ir::{Block, Expr, LoopId, VarId};
use crate::ranges::{Range, assigned};

impl Walk<'_> {
    /// An `if`: its condition tells of either branch, and behind it holds what holds at the ends of both.
    pub(super) fn branch(&mut self, cond: &mut Expr, then: &mut Block, otherwise: &mut Block) {
        self.mark(cond);
        self.learn_passed(cond);
        let (if_true, if_false) = (self.implied(cond, true), self.implied(cond, false));
        let before = self.known.clone();
        let places: Vec<Expr> = [&*then, &*otherwise].into_iter().flat_map(assigned_integers).collect();
        let mut ends = Vec::new();
        for (branch, facts) in [(&mut *then, &if_true), (&mut *otherwise, &if_false)] {
            self.known.extend(facts.clone());
            let ranges = self.ending(branch, &places);
            let known = std::mem::replace(&mut self.known, before.clone());
            if !leaves(branch) {
                ends.push(End { ranges, known });
            }
        }
        if leaves(then) {
            self.known.extend(if_false);
        } else if leaves(otherwise) {
            self.known.extend(if_true);
        }
        // A branch that leaves changes nothing for what comes after it.
        let branches = [&*then, &*otherwise];
        let stays = branches.into_iter().filter(|branch| !leaves(branch));
        let changed: HashSet<VarId> = stays.flat_map(assigned).collect();
        self.meet(&places, &ends, &changed);
        self.known.learn_flags(cond, branches, &self.scope);
    }

    /// A loop that runs once.
    pub(super) fn once(&mut self, id: LoopId, body: &mut Block) {
        let before = self.known.clone();
        let places = assigned_integers(body);
        self.exits.push(Exits { id, places, ends: Vec::new() });
        self.block(body);
        self.known = before;
        let Some(Exits { places, ends, .. }) = self.exits.pop() else { return };
        self.meet(&places, &ends, &assigned(body));
    }

    /// Notes what holds where a block is left.
    pub(super) fn note_exit(&mut self, id: LoopId) {
        let Some(at) = self.exits.iter().position(|exits| exits.id == id) else { return };
        let ranges = self.exits[at].places.iter().map(|place| self.range_at(place)).collect();
        self.exits[at].ends.push(End { ranges, known: self.known.clone() });
    }

    /// Learns what holds where ways meet that change some variables.
    fn meet(&mut self, places: &[Expr], ends: &[End], changed: &HashSet<VarId>) {
        let orders = self.common_orders(ends.iter().map(|end| &end.known).collect(), changed);
        self.known.forget(changed);
        self.known.learn_orders(orders);
        for (at, place) in places.iter().enumerate() {
            let ranges = ends.iter().filter_map(|end| end.ranges[at].clone());
            let is_stale = |id| self.scope.is_stale(id, self.symbols_before);
            let hull = ranges.reduce(|a, b| a.hull(&b)).map(|range| range.without(&is_stale));
            // Each way may cut off as many elements as it has found: `let n = match rest { [_, _, ..] => 2, _ => 1 }`.
            let fits = |len: &Expr| ends.iter().all(|end| self.is_at_most(place, len, &end.known));
            let cuts = self.cuts(place, fits);
            self.known.learn_orders(cuts);
            hull.into_iter().for_each(|range| self.learn(place, range));
        }
    }

    /// The ranges of integers at the end of a block.
    pub(super) fn ending(&mut self, block: &mut Block, places: &[Expr]) -> Vec<Option<Range>> {
        for stmt in &mut block.stmts {
            self.statement(stmt);
        }
        places.iter().map(|place| self.range_at(place)).collect()
    }
}
