//! Checks of a simulated launch, as observers: data races, reads of unwritten memory, alignment.
//!
//! The actions of threads come in; a [`SimFault`](crate::simulator::SimFault) that names the lines goes out. No check knows
//! the kernel, the IR, or who runs it. [`SimChecks`] says what to check.

mod alignment;
mod barriers;
mod chain;
mod clock;
mod counting;
mod exits;
mod grids;
mod hint;
mod history;
mod initialisation;
mod lines;
mod pages;
mod races;
mod records;
mod releases;
mod shadow;
mod threads;
mod view;

#[cfg(test)]
mod tests;

pub use alignment::Alignment;
#[doc(hidden)]
pub use barriers::Reached;
pub use barriers::{Barrier, BarrierLog, Barriers, Verdict};
pub use initialisation::Initialisation;
pub use races::Races;

use crate::simulator::{Observer, SimChecks};

/// The observers of the checks that are switched on.
#[derive(Default)]
pub struct Checkers {
    races: Option<Races>,
    initialisation: Option<Initialisation>,
    alignment: Option<Alignment>,
}

impl Checkers {
    /// An observer for each check that is switched on.
    pub fn new(checks: &SimChecks) -> Self {
        Self {
            races: checks.races.then(Races::new),
            initialisation: checks.initialisation.then(Initialisation::new),
            alignment: checks.alignment.then(Alignment::new),
        }
    }

    /// The observers, those first whose faults explain the others'.
    pub fn observers(&self) -> impl Iterator<Item = &dyn Observer> {
        let alignment = self.alignment.as_ref().map(|check| check as &dyn Observer);
        let initialisation = self.initialisation.as_ref().map(|check| check as &dyn Observer);
        let races = self.races.as_ref().map(|check| check as &dyn Observer);
        [alignment, initialisation, races].into_iter().flatten()
    }
}
