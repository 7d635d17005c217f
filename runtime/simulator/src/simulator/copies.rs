//! Copies that threads have started and not waited for.

use std::collections::{HashMap, VecDeque};

use super::machine::Here;

/// One copy, from global to shared memory.
pub(super) struct Copy {
    /// Its number for observers.
    pub number: u64,
    pub to: *mut u8,
    pub from: *const u8,
    pub bytes: usize,
}

/// The copies of one thread.
#[derive(Default)]
struct Pending {
    /// Since the last group was closed.
    open: Vec<Copy>,
    /// Closed groups, oldest first.
    closed: VecDeque<Vec<Copy>>,
}

/// The copies of every thread, by block and linear index in it.
///
/// A copy is done no earlier than its group is waited for, the latest time that the hardware may take:
/// a kernel that reads before it waits sees what was there before.
#[derive(Default)]
pub(super) struct Copies(HashMap<([u32; 3], u32), Pending>);

impl Copies {
    pub fn start(&mut self, here: &Here, copy: Copy) {
        self.of(here).open.push(copy);
    }

    pub fn commit(&mut self, here: &Here) {
        let pending = self.of(here);
        let group = std::mem::take(&mut pending.open);
        pending.closed.push_back(group);
    }

    /// Does the thread's copies but those of its last `left` groups; `done` is told their numbers.
    pub fn wait(&mut self, here: &Here, left: usize, done: impl Fn(u64)) {
        let pending = self.of(here);
        while pending.closed.len() > left {
            for copy in pending.closed.pop_front().into_iter().flatten() {
                // SAFETY: both were references of this size when the copy was started, to memory of the
                // launch, which outlives its threads.
                unsafe { std::ptr::copy_nonoverlapping(copy.from, copy.to, copy.bytes) }
                done(copy.number);
            }
        }
    }

    /// Does all that the thread has started; their numbers.
    pub fn finish(&mut self, here: &Here) -> Vec<u64> {
        let pending = self.of(here);
        let copies = std::mem::take(&mut pending.closed).into_iter().flatten();
        let copies: Vec<Copy> = copies.chain(std::mem::take(&mut pending.open)).collect();
        // SAFETY: as in `wait`.
        copies
            .iter()
            .for_each(|copy| unsafe { std::ptr::copy_nonoverlapping(copy.from, copy.to, copy.bytes) });
        copies.into_iter().map(|copy| copy.number).collect()
    }

    fn of(&mut self, here: &Here) -> &mut Pending {
        self.0.entry((here.block_idx, here.linear)).or_default()
    }
}
