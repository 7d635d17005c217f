//! Where ways through a function meet again: behind branches, and behind blocks that `break` leaves.
//!
//! A labelled block is a loop that runs once. Nothing that it assigns has another value where it begins, so no claim about its iterations
//! is looked for. What holds behind it is what holds wherever it is left.

use std::collections::HashSet;

use super::elide::{Walk, leaves};
use super::invariant::assigned_integers;
use crate::ir::{Block, Expr, LoopId, VarId};
use crate::ranges::{Known, Range, assigned};

/// A block that the walk is in, and what holds where it is left.
pub(super) struct Exits {
    id: LoopId,
    /// The integers that the block assigns.
    places: Vec<Expr>,
    /// Their ranges, for each exit, and all that is known there.
    ends: Vec<Vec<Option<Range>>>,
    at_ends: Vec<Known>,
}

impl Walk<'_> {
    pub(super) fn branch(&mut self, cond: &mut Expr, then: &mut Block, otherwise: &mut Block) {
        self.mark(cond);
        self.learn_passed(cond);
        let (if_true, if_false) = (self.implied(cond, true), self.implied(cond, false));
        let before = self.known.clone();
        let places: Vec<Expr> = [&*then, &*otherwise].into_iter().flat_map(assigned_integers).collect();
        let (mut ends, mut at_ends) = (Vec::new(), Vec::new());
        for (branch, facts) in [(&mut *then, &if_true), (&mut *otherwise, &if_false)] {
            self.known.extend(facts.clone());
            let end = self.ending(branch, &places);
            let at_end = std::mem::replace(&mut self.known, before.clone());
            if !leaves(branch) {
                ends.push(end);
                at_ends.push(at_end);
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
        let orders = self.common_orders(&at_ends, &changed);
        self.known.forget(&changed);
        self.known.learn_orders(orders);
        self.known.learn_flags(cond, branches, &self.scope);
        self.learn_ends(&places, &ends);
    }

    /// A loop that runs once.
    pub(super) fn once(&mut self, id: LoopId, body: &mut Block) {
        let before = self.known.clone();
        let places = assigned_integers(body);
        self.exits.push(Exits { id, places, ends: Vec::new(), at_ends: Vec::new() });
        self.block(body);
        self.known = before;
        let Some(Exits { places, ends, at_ends, .. }) = self.exits.pop() else { return };
        let changed = assigned(body);
        let orders = self.common_orders(&at_ends, &changed);
        self.known.forget(&changed);
        self.known.learn_orders(orders);
        self.learn_ends(&places, &ends);
    }

    /// Notes what holds where a block is left.
    pub(super) fn note_exit(&mut self, id: LoopId) {
        let Some(at) = self.exits.iter().position(|exits| exits.id == id) else { return };
        let end = self.exits[at].places.iter().map(|place| self.range_at(place)).collect();
        let known = self.known.clone();
        let exits = &mut self.exits[at];
        exits.ends.push(end);
        exits.at_ends.push(known);
    }

    /// Learns the ranges of integers where several ways meet, of which each has its own.
    fn learn_ends(&mut self, places: &[Expr], ends: &[Vec<Option<Range>>]) {
        for (at, place) in places.iter().enumerate() {
            let hull = ends.iter().filter_map(|end| end[at].clone()).reduce(|a, b| a.hull(&b));
            let is_stale = |id| self.scope.is_stale(id, self.symbols_before);
            let hull = hull.map(|range| range.without(&is_stale));
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
