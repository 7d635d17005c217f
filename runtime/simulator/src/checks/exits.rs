//! Shared memory that other blocks of the cluster use: its block must not exit before they are done.
//!
//! A block exits once all of its threads have ended. What another block does with its shared memory has to be
//! ordered before one of those ends, or nothing keeps the block from exiting first.

use std::collections::HashMap;

use super::clock::{Clock, Key};

/// The last use of a block's shared memory by a thread of another block.
#[derive(Clone, Copy)]
pub(super) struct Use {
    pub by: Key,
    pub epoch: u32,
    /// The number of its line.
    pub line: u32,
}

/// The blocks that run and their guests.
#[derive(Default)]
pub(super) struct Exits {
    /// The last use by each thread, by the block whose memory it is.
    uses: HashMap<u64, HashMap<Key, Use>>,
    /// Threads of each block that have ended, and what any of them knew then.
    ended: HashMap<u64, (u32, Clock)>,
    /// A use that nothing orders before the exit of this block.
    late: Option<(Use, u64)>,
}

impl Exits {
    /// Forgets all.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// A thread uses the shared memory of another block, which has `threads` threads.
    pub fn used(&mut self, block: u64, threads: u32, new: Use) {
        if self.ended.get(&block).is_some_and(|(ended, _)| *ended == threads) {
            self.late.get_or_insert((new, block));
        }
        self.uses.entry(block).or_default().insert(new.by, new);
    }

    /// A thread of a block of `threads` threads ends, and knows `knows`.
    pub fn end(&mut self, block: u64, threads: u32, knows: &Clock) {
        let (ended, known) = self.ended.entry(block).or_default();
        *ended += 1;
        known.join(knows);
        if *ended == threads {
            let uses = self.uses.remove(&block).unwrap_or_default();
            let late = uses.into_values().filter(|guest| known.get(guest.by) < guest.epoch);
            // The first thread: the same launch is to give the same fault.
            if let Some(first) = late.min_by_key(|guest| guest.by) {
                self.late.get_or_insert((first, block));
            }
        }
    }

    /// A use that may come after the exit of the block whose memory it is, with that block.
    pub fn late(&mut self) -> Option<(Use, u64)> {
        self.late.take()
    }
}
