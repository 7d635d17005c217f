//! Calls of device functions and closures: what every one of them proves.
//!
//! The walk analyses a function once for each call that control may reach, with the caller's arguments. A check is left out
//! only if all of these calls prove it, and a launch is asked for all conditions that any of them rests on.

use std::collections::HashMap;
use std::hash::Hash;

use crate::ir::{Condition, FnId, VarId};
use crate::ranges::{Fields, Held};

/// The number of calls that are analysed in a module; further calls prove nothing.
const MOST_CALLS: usize = 500;

/// A body that is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Callee {
    Function(FnId),
    /// The closure that a variable of the kernel is.
    Closure(VarId),
}

/// The purpose of a walk over a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aim {
    /// To mark what its own text proves.
    Own,
    /// To find what one call of it proves.
    Called(Callee),
    /// To mark what all calls of it prove.
    Mark(Callee),
}

/// The findings about the calls in a module.
#[derive(Clone, Debug, Default)]
pub(super) struct Calls {
    entered: usize,
    /// For each check, by its place in the walk, what it rests on; nothing if a call does not prove it.
    checks: HashMap<(Callee, usize), Option<Vec<Condition>>>,
}

impl Calls {
    /// Counts a call, if it may be analysed.
    pub fn enter(&mut self) -> bool {
        self.entered += 1;
        self.entered <= MOST_CALLS
    }

    /// The number of analysed calls.
    pub fn entered(&self) -> usize {
        self.entered
    }

    /// Notes what a check rests on in one call.
    pub fn note(&mut self, callee: Callee, check: usize, needs: Option<Vec<Condition>>) {
        let known = self.checks.entry((callee, check)).or_insert_with(|| Some(Vec::new()));
        *known = known.take().zip(needs).map(|(known, needs)| [known, needs].concat());
    }

    /// The conditions that a check rests on in all calls.
    pub fn needs(&self, callee: Callee, check: usize) -> Option<Vec<Condition>> {
        self.checks.get(&(callee, check)).cloned().flatten()
    }

    /// Returns whether the calls of a body prove anything.
    pub fn prove(&self, callee: Callee) -> bool {
        let proves = |(of, _): &(Callee, usize)| *of == callee;
        self.entered <= MOST_CALLS
            && self.checks.iter().any(|(check, needs)| proves(check) && needs.is_some())
    }
}

/// What a walk through a function finds.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcome {
    /// What is known of what it returns, and of the fields of that; `None` before the first `return`.
    pub returned: Option<Fields>,
    /// The arguments with which it calls closures; `None` for an argument of which nothing is known.
    pub called: HashMap<VarId, Vec<Option<Held>>>,
    /// What it leaves in the fields that it is lent; `None` before the first `return`.
    pub left: Option<HashMap<VarId, Held>>,
}

impl Outcome {
    /// Notes what one of the `return`s gives.
    pub fn note_returned(&mut self, fields: Fields) {
        self.returned = Some(either(self.returned.take(), fields));
    }

    /// Notes what is left at one of the `return`s.
    pub fn note_left(&mut self, left: HashMap<VarId, Held>) {
        self.left = Some(either(self.left.take(), left));
    }

    /// What the function returns, if that has no fields and is known of each `return`.
    pub fn held(mut self) -> Option<Held> {
        self.returned.as_mut()?.remove([].as_slice())
    }
}

/// What holds of values that are one or the other; the first may not be there yet.
pub(super) fn either<K: Eq + Hash>(
    known: Option<HashMap<K, Held>>,
    here: HashMap<K, Held>,
) -> HashMap<K, Held> {
    let Some(known) = known else { return here };
    let both = |(at, own): (K, Held)| {
        let held = own.hull(here.get(&at)?.clone());
        Some((at, held))
    };
    known.into_iter().filter_map(both).collect()
}
