//! The accesses that stores of flags release, and loads of flags acquire.
//!
//! An atomic or volatile store releases by its own ordering, by that of an earlier store of its thread to the
//! same place, or by a fence before it; a load acquires by its ordering, or by a fence after it. Read-modify-writes in between pass on what was released.
//! Scopes must hold each other's threads all along.
//!
//! Source: PTX ISA, memory consistency model: release and acquire patterns, observation order.

use std::sync::atomic::Ordering;

use rustc_hash::FxHashMap;

use super::clock::{Clock, Key};
use super::grids::Grids;
use super::history::Strong;
use super::threads::Agent;
use crate::simulator::MemoryScope;

/// The widest operation, in bytes.
const WIDEST: usize = 16;

/// The accesses released to the readers of places, by the first byte of the place.
#[derive(Default)]
pub(super) struct Releases(FxHashMap<usize, Release>);

/// The accesses released by the value in a place.
struct Release {
    bytes: u32,
    /// The thread that stored last, and the scope of its store.
    writer: Key,
    scope: MemoryScope,
    /// All that was released for the device or wider.
    all: Clock,
    /// The accesses that each block released, with the scopes.
    parts: FxHashMap<u64, Vec<(MemoryScope, Clock)>>,
}

impl Releases {
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// An atomic or volatile operation of a thread.
    pub fn operate(&mut self, key: Key, agent: &mut Agent, strong: &Strong, order: Ordering, grids: &Grids) {
        if order == Ordering::SeqCst {
            agent.fence(key, strong.scope);
        }
        if strong.reads {
            self.load(key, agent, strong, order, grids);
        }
        if strong.writes {
            self.store(key, agent, strong, order, grids);
        }
    }

    /// A plain store of these bytes: it releases nothing.
    pub fn forget(&mut self, start: usize, bytes: u32) {
        for first in (start + 1).saturating_sub(WIDEST)..start + bytes as usize {
            if self.0.get(&first).is_some_and(|release| first + release.bytes as usize > start) {
                self.0.remove(&first);
            }
        }
    }

    fn load(&self, key: Key, agent: &mut Agent, strong: &Strong, order: Ordering, grids: &Grids) {
        let Some(release) = self.0.get(&strong.extent.0).filter(|r| r.meets(key, strong, grids)) else {
            return;
        };
        let acquires = matches!(order, Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst);
        let mut take = |needed: MemoryScope, clock: &Clock| match acquires && strong.scope >= needed {
            true => agent.acquire(key, clock),
            false => agent.see(needed, clock),
        };
        take(MemoryScope::Device, &release.all);
        for (needed, block) in grids.near(key) {
            let parts = release.parts.get(&block).into_iter().flatten();
            parts.filter(|(scope, _)| *scope >= needed).for_each(|(_, clock)| take(needed, clock));
        }
    }

    fn store(&mut self, key: Key, agent: &mut Agent, strong: &Strong, order: Ordering, grids: &Grids) {
        let (first, bytes) = strong.extent;
        let passes_on = strong.reads && self.0.get(&first).is_some_and(|r| r.meets(key, strong, grids));
        if !passes_on {
            self.forget(first, bytes);
        }
        if matches!(order, Ordering::Release | Ordering::AcqRel) {
            agent.release_at(key, strong.extent, strong.scope);
        }
        let own = agent.released_at(strong.extent).map(|(scope, clock)| (*scope, clock));
        let mut released = own.chain(agent.fences()).peekable();
        if released.peek().is_none() && !passes_on {
            return;
        }
        let release = self.0.entry(first).or_insert_with(|| Release::new(bytes));
        (release.writer, release.scope) = (key, strong.scope);
        released.for_each(|(scope, clock)| release.add(key, scope, clock));
    }
}

impl Release {
    fn new(bytes: u32) -> Self {
        Self {
            bytes,
            writer: 0,
            scope: MemoryScope::Block,
            all: Clock::default(),
            parts: FxHashMap::default(),
        }
    }

    /// Whether an operation sees what the last one stored as an atomic operation does.
    fn meets(&self, key: Key, strong: &Strong, grids: &Grids) -> bool {
        self.bytes == strong.extent.1 && self.scope.min(strong.scope) >= grids.between(self.writer, key)
    }

    fn add(&mut self, by: Key, scope: MemoryScope, clock: &Clock) {
        if scope >= MemoryScope::Device {
            self.all.join(clock);
        }
        let parts = self.parts.entry(Grids::block_of(by)).or_default();
        match parts.iter_mut().find(|(known, _)| *known == scope) {
            Some((_, known)) => known.join(clock),
            None => parts.push((scope, clock.clone())),
        }
    }
}
