//! Launches that begin before the launch before them has ended; the same checks watch both.

use std::cell::RefCell;
use std::sync::{Arc, Weak};

use super::Simulation;
use crate::checks::Checkers;
use crate::error::Result;
use crate::simulator::{Statics, global};

/// The checks of the last launch.
struct Last {
    /// The checks of the device that it ran on.
    statics: Weak<Statics>,
    checkers: Checkers,
    /// The number of uses of memory by the host: with a further use, the host has waited for the launch.
    uses: u64,
}

thread_local! {
    static LAST: RefCell<Option<Last>> = const { RefCell::new(None) };
}

/// Runs a launch with the checks of the launch before it on the same device, if the two may overlap, and with new checks
/// otherwise. Returns whether they may.
pub(super) fn run(simulation: &Simulation, launch: impl FnOnce(&Checkers, bool) -> Result<()>) -> Result<()> {
    let last = LAST.take().filter(|last| {
        let same = std::ptr::eq(last.statics.as_ptr(), Arc::as_ptr(simulation.statics()));
        simulation.programmatic && same && last.uses == global::uses_by_host()
    });
    let (overlaps, checkers) = (last.is_some(), last.map(|last| last.checkers));
    let checkers = checkers.unwrap_or_else(|| simulation.checkers());
    launch(&checkers, overlaps)?;
    let (statics, uses) = (Arc::downgrade(simulation.statics()), global::uses_by_host());
    LAST.set(Some(Last { statics, checkers, uses }));
    Ok(())
}
