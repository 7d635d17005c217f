//! The knowledge of a thread about earlier accesses, at an access.

use super::clock::{Asks, Key};
use super::grids::Grids;
use super::threads::{Agent, Threads};
use crate::simulator::MemoryScope;

/// A thread's view of all others, or that of a copy which it gives to the copy engine.
pub(super) struct View<'a> {
    pub thread: Key,
    pub agent: &'a Agent,
    pub threads: &'a Threads,
    pub grids: &'a Grids,
    /// Whether the access, if it is one by the copy engine, is of global memory.
    pub engine: Option<bool>,
}

impl View<'_> {
    /// Whether what was done under this number in this epoch is ordered before what is done now.
    #[inline]
    pub fn ordered(&self, by: Key, epoch: u32) -> bool {
        match self.engine {
            None => {
                by == self.thread
                    || self.warp_is_ordered(by >> 5, epoch)
                    || self.threads.ordered(by, epoch, self.thread, &self.agent.clock, Asks::Thread)
            }
            Some(global) => self.asks(by, epoch, Asks::Engine { global }),
        }
    }

    /// Returns whether a write is ordered before the access, which may overwrite it.
    ///
    /// A write of the copy engine is complete once a thread has waited for it. A thread that overwrites it needs the same
    /// knowledge of it as of a load.
    #[inline]
    pub fn write_is_ordered(&self, by: Key, epoch: u32, overwrites: bool) -> bool {
        match overwrites && self.threads.is_engine(by) {
            true => self.load_is_ordered(by, epoch),
            false => self.ordered(by, epoch),
        }
    }

    /// Whether a load is ordered before a store now.
    #[inline]
    pub fn load_is_ordered(&self, by: Key, epoch: u32) -> bool {
        self.ordered(by, epoch)
            || match self.engine {
                None => self.asks(by, epoch, Asks::ThreadAfterLoad),
                Some(global) => self.asks(by, epoch, Asks::EngineAfterLoad { global }),
            }
    }

    fn asks(&self, by: Key, epoch: u32, asks: Asks) -> bool {
        self.threads.ordered(by, epoch, self.thread, &self.agent.clock, asks)
    }

    /// Whether it is plain that what a warp did in this epoch is.
    #[inline]
    pub fn warp_is_ordered(&self, warp: Key, epoch: u32) -> bool {
        let known = self.agent.known;
        self.engine.is_none() && warp >> 5 == self.thread >> 10 && epoch <= known.block
            || self.engine.is_none() && warp == self.thread >> 5 && epoch <= known.warp
    }

    /// The narrowest scope that holds the thread and another.
    pub fn between(&self, other: Key) -> MemoryScope {
        self.grids.between(self.thread, self.threads.owner(other))
    }
}
