//! What a thread knows of earlier accesses when it makes one.

use super::clock::Key;
use super::grids::Grids;
use super::threads::{Agent, Threads};
use crate::simulator::MemoryScope;

/// A thread's view of all others.
pub(super) struct View<'a> {
    pub thread: Key,
    pub agent: &'a Agent,
    pub threads: &'a Threads,
    pub grids: &'a Grids,
}

impl View<'_> {
    /// Whether what was done under this number in this epoch is ordered before what the thread does now.
    #[inline]
    pub fn ordered(&self, by: Key, epoch: u32) -> bool {
        by == self.thread
            || self.warp_is_ordered(by >> 5, epoch)
            || self.threads.ordered(by, epoch, self.thread, &self.agent.clock)
    }

    /// Whether it is plain that what a warp did in this epoch is.
    #[inline]
    pub fn warp_is_ordered(&self, warp: Key, epoch: u32) -> bool {
        let known = self.agent.known;
        warp >> 5 == self.thread >> 10 && epoch <= known.block
            || warp == self.thread >> 5 && epoch <= known.warp
    }

    /// The narrowest scope that holds the thread and another.
    pub fn between(&self, other: Key) -> MemoryScope {
        self.grids.between(self.thread, self.threads.owner(other))
    }
}
