//! Counts how often threads come to each synchronisation.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::simulator::{Interests, Observer, Synchronisation, Thread};

/// How often a thread came to each synchronisation of a launch.
#[derive(Default)]
#[doc(hidden)]
pub struct Reached(RefCell<BTreeMap<Synchronisation, u64>>);

impl Reached {
    /// The counts.
    pub fn counts(self) -> BTreeMap<Synchronisation, u64> {
        self.0.into_inner()
    }
}

impl Observer for Reached {
    fn interests(&self) -> Interests {
        Interests { synchronisations: true, ..Interests::default() }
    }

    fn on_synchronise(&self, _by: &Thread, which: &Synchronisation) {
        *self.0.borrow_mut().entry(*which).or_default() += 1;
    }
}
