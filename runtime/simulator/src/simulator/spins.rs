//! Tells a thread that spins from one that works: a spin finds what it has found before.

use super::machine::Machine;

/// The number of places that a thread remembers: a round of a spin looks at no more places.
const REMEMBERED: usize = 4;

/// Rounds that each thread makes in vain before a launch is taken to be stuck, as a power of two, and the least number of
/// atomics of all threads, likewise: while blocks have not started, and when all have.
const PATIENCE: [(u32, u32); 2] = [(14, 20), (18, 24)];

/// The results of atomics, by fiber.
#[derive(Default)]
pub(super) struct Spins(Vec<[u64; REMEMBERED]>);

impl Spins {
    /// Whether a fiber found something that it had not just found before.
    fn is_new(&mut self, fiber: usize, found: u64) -> bool {
        if self.0.len() <= fiber {
            self.0.resize(fiber + 1, [0; REMEMBERED]);
        }
        let last = &mut self.0[fiber];
        if last.contains(&found) {
            return false;
        }
        last.rotate_right(1);
        last[0] = found;
        true
    }
}

impl Machine<'_> {
    /// An atomic of the running thread has found a value at an address, and changed it or not.
    #[inline]
    pub(super) fn note_found(&self, address: usize, value: &[u8], changed: bool) {
        if changed || self.spins.borrow_mut().is_new(self.here.get().fiber as usize, digest(address, value)) {
            self.counters.found.set(self.counters.atomics.get());
        }
    }

    /// Whether threads have been finding nothing new for so long that they will not; never where there is no budget.
    pub(super) fn is_stuck(&self, count: u64) -> bool {
        if self.launch.settings.atomic_budget == u64::MAX {
            return false;
        }
        let (rounds, least) = PATIENCE[usize::from(!self.has_unstarted())];
        let threads = u64::from(self.cluster.live.get().max(1));
        let patience = (threads << rounds).max(1 << least);
        count.saturating_sub(self.counters.found.get()) > patience.min(self.launch.settings.atomic_budget)
    }
}

/// A number for an address and what it holds; never 0. FNV-1a.
fn digest(address: usize, value: &[u8]) -> u64 {
    let bytes = address.to_ne_bytes();
    let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().chain(value).fold(0xcbf2_9ce4_8422_2325, mix) | 1
}
