//! The places at which a kernel orders its threads, and launches that do without one of them.

use std::fmt;

use super::facts::Line;

/// A barrier, a fence, a wait or a memory ordering, as a kernel writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Synchronisation {
    /// Where it is written. Of one in a function of this library: where that is called.
    pub at: Line,
    /// The builtin: `sync_threads`, `fence_device`, `store`, …
    pub name: &'static str,
    /// Its kind.
    pub kind: SynchronisationKind,
    /// The ordering of an atomic operation.
    pub order: Option<&'static str>,
    /// How many of the same name stand before it on the line.
    pub nth: u32,
}

/// The kind of a synchronisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SynchronisationKind {
    /// A barrier or a wait that gives no value and has no other half.
    Whole,
    /// A barrier that gives a value, or one half of a barrier.
    Part,
    /// A fence.
    Fence,
    /// An atomic operation with an ordering.
    Atomic,
}

impl Synchronisation {
    /// Whether it can be left out by itself: it gives no value, and has no other half.
    pub fn is_whole(&self) -> bool {
        self.kind == SynchronisationKind::Whole
    }

    /// Whether it is also for what atomic operations see of each other.
    pub fn is_for_atomics(&self) -> bool {
        matches!(self.kind, SynchronisationKind::Fence | SynchronisationKind::Atomic)
    }
}

/// How a launch does without a synchronisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Without {
    /// Threads do not stop there.
    Call(Synchronisation),
    /// Threads meet there and exchange what they exchange, and nothing is ordered by it.
    Order(Synchronisation),
}

impl fmt::Display for Synchronisation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        match self.order {
            Some(order) => write!(f, " ({order})"),
            None => Ok(()),
        }
    }
}
