//! Which atomic stores of a byte an atomic load of it has observed.
//!
//! A store and the read-modify-writes that follow it are a chain: a load of the last one's value has observed all of
//! them, as long as each is atomic to the one before it. A store that does not read begins another chain.
//!
//! Source: PTX ISA, memory consistency model, observation order.

use super::clock::Key;
use super::history::Strong;
use super::view::View;

/// The stores of a chain up to one of them, by their numbers; nothing at first.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Seen {
    /// The number of the first.
    pub chain: u64,
    /// The number of the last.
    pub last: u64,
}

impl Seen {
    /// Whether a store is among them.
    pub fn contains(self, store: Seen) -> bool {
        (self.chain..=self.last).contains(&store.last)
    }
}

/// The chain of a byte.
#[derive(Clone, Default, Debug)]
pub(super) struct Chain {
    seen: Seen,
    /// The last store, and whose it is.
    last: Option<(Key, Strong)>,
}

impl Chain {
    /// Adds an access; what its thread has observed then, its own store included.
    pub fn add(&mut self, key: Key, strong: Strong, view: &View<'_>) -> Seen {
        let goes_on = strong.reads && self.last.is_some_and(|(by, last)| meets(by, last, strong, view));
        if !strong.writes {
            return if goes_on { self.seen } else { Seen::default() };
        }
        self.seen.last += 1;
        if !goes_on {
            self.seen.chain = self.seen.last;
        }
        self.last = Some((key, strong));
        self.seen
    }
}

/// Whether an access is atomic to the last store.
fn meets(by: Key, last: Strong, strong: Strong, view: &View<'_>) -> bool {
    last.extent == strong.extent && last.scope.min(strong.scope) >= view.between(by)
}
