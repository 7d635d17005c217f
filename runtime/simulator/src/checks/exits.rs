//! Shared memory that other blocks of the cluster use: its block must not exit before they are done.
//!
//! A block exits once all of its threads have ended. What another block does with its shared memory has to be
//! ordered before one of those ends, or nothing keeps the block from exiting first. A copy to another block reads its own block's.

use rustc_hash::FxHashMap;

use super::clock::{Asks, Clock, Key};
use super::threads::{Agent, Threads};

/// A way in which a thread of another block uses a block's shared memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Visit {
    /// It arrives at a barrier. A thread of the block that has waited for the barrier knows of it, in any order of arrivals.
    Arrives,
    /// It reads.
    Reads,
    /// It writes.
    Writes,
    /// It starts a copy by the copy engine.
    Sends,
}

/// The last use of a block's shared memory by a thread of another block, in one way.
#[derive(Clone, Copy)]
pub(super) struct Use {
    pub by: Key,
    /// The number by which the access is known: the thread's, or its copy's; and its epoch.
    pub known: (Key, u32),
    pub visit: Visit,
    /// The number of its line.
    pub line: u32,
}

/// What threads of a block knew when they ended.
#[derive(Default)]
struct Ended {
    threads: u32,
    known: Clock,
    /// What threads of other blocks had done when they arrived at barriers that were waited for.
    heard: Clock,
}

impl Ended {
    /// Whether a use was over by then.
    fn orders(&self, guest: &Use, threads: &Threads) -> bool {
        let (key, epoch) = guest.known;
        let ordered = |asks| threads.ordered(key, epoch, NOBODY, &self.known, asks);
        match guest.visit {
            Visit::Arrives => self.heard.get(key) >= epoch || ordered(Asks::Thread),
            Visit::Reads => ordered(Asks::ThreadAfterLoad),
            Visit::Writes | Visit::Sends => ordered(Asks::Thread),
        }
    }
}

/// The number of no thread.
const NOBODY: Key = Key::MAX >> 1;

/// The blocks that run and their guests.
#[derive(Default)]
pub(super) struct Exits {
    /// The last use by each thread in each way, by the block whose memory it is.
    uses: FxHashMap<u64, FxHashMap<(Key, Visit), Use>>,
    /// The threads of each block that have ended.
    ended: FxHashMap<u64, Ended>,
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
        if self.ended.get(&block).is_some_and(|ended| ended.threads == threads) {
            self.late.get_or_insert((new, block));
        }
        self.uses.entry(block).or_default().insert((new.by, new.visit), new);
    }

    /// A thread of a block of `count` threads ends.
    pub fn end(&mut self, block: u64, count: u32, agent: &Agent, threads: &Threads) {
        let ended = self.ended.entry(block).or_default();
        ended.threads += 1;
        ended.known.join(&agent.clock);
        agent.heard().into_iter().for_each(|heard| ended.heard.join(heard));
        if ended.threads == count {
            let uses = self.uses.remove(&block).unwrap_or_default();
            let late = uses.into_values().filter(|guest| !ended.orders(guest, threads));
            // The first thread: the same launch is to give the same fault.
            if let Some(first) = late.min_by_key(|guest| (guest.by, guest.visit)) {
                self.late.get_or_insert((first, block));
            }
        }
    }

    /// A use that may come after the exit of the block whose memory it is, with that block.
    pub fn late(&mut self) -> Option<(Use, u64)> {
        self.late.take()
    }
}
