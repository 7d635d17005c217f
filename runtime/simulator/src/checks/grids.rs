//! The grids of a launch: its own, and those that its kernels launch, with one numbering of all blocks.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::clock::{Clock, Group, Key};
use crate::simulator::{ChildOrder, MemoryScope, SimLaunch};

/// Bits of a thread's number that count it in its block.
const THREAD_BITS: u32 = 10;

/// One grid.
pub(super) struct Grid {
    pub kernel: String,
    /// Number of its first block.
    base: u64,
    grid: [u32; 3],
    pub block: [u32; 3],
    cluster: [u32; 3],
    /// The knowledge of its threads at their start.
    start: Clock,
    /// The launch by the host that may not have ended when it begins.
    previous: Option<usize>,
    /// Whether one of its threads has waited for that.
    waited: bool,
}

/// The origin of a grid that begins.
pub(super) enum Begun {
    /// A kernel has launched it.
    Child,
    /// The host has, and all launches before it had ended.
    Alone,
    /// The host has, and the launch before it may not have ended.
    Overlapping,
}

/// A grid that a kernel has launched.
struct Child {
    /// The knowledge of the thread that launched it.
    clock: Clock,
    order: ChildOrder,
    /// The grid and the block that launched it.
    parent: usize,
    block: u64,
    /// The blocks of it and of all that it launched, once it has ended.
    ran: Option<Range<u64>>,
    began: u64,
}

/// All grids since the launch by the host.
#[derive(Default)]
pub(super) struct Grids {
    grids: Vec<Grid>,
    children: FxHashMap<u64, Child>,
    /// The launch by the host that runs.
    host: Option<usize>,
    /// The launched grid that is about to begin.
    beginning: Option<u64>,
    /// The next block's number.
    next: u64,
}

impl Grids {
    /// A grid begins.
    pub fn begin(&mut self, launch: &SimLaunch<'_>) -> Begun {
        let child = self.beginning.take();
        let begun = match child {
            Some(_) => Begun::Child,
            None if launch.overlaps && !self.grids.is_empty() => Begun::Overlapping,
            None => Begun::Alone,
        };
        let previous = match begun {
            Begun::Child => None,
            Begun::Alone => {
                *self = Self::default();
                None
            }
            Begun::Overlapping => {
                self.children.clear();
                self.host.replace(self.grids.len())
            }
        };
        if child.is_none() && previous.is_none() {
            self.host = Some(0);
        }
        let mut start = child.map(|child| self.start(child)).unwrap_or_default();
        // Whatever comes before a grid is visible to all of it.
        start.publish_all();
        let cluster = if launch.cooperative { [1; 3] } else { launch.cluster };
        let SimLaunch { grid, block, .. } = *launch;
        let base = self.next;
        self.next += grid.iter().map(|n| u64::from(*n)).product::<u64>();
        let kernel = launch.kernel.to_owned();
        self.grids.push(Grid { kernel, base, grid, block, cluster, start, previous, waited: false });
        begun
    }

    /// A thread of the running launch has waited for the launch before. Returns what is ordered before the thread's next
    /// accesses.
    pub fn wait_for_previous(&mut self) -> Clock {
        let mut clock = Clock::default();
        let Some(host) = self.host else { return clock };
        self.grids[host].waited = true;
        let mut end = self.grids[host].base;
        let mut at = host;
        // A launch that waited for the one before it has ended after that.
        while let Some(previous) = self.grids[at].previous.filter(|_| self.grids[at].waited) {
            know(&mut clock, self.grids[previous].base..end);
            (end, at) = (self.grids[previous].base, previous);
        }
        clock.publish_all();
        clock
    }

    /// Returns whether the launches of two threads are by the host, and the second may begin before the first has ended.
    pub fn are_launched_apart(&self, first: Key, second: Key) -> bool {
        let Some(host) = self.host.filter(|host| self.grids[*host].previous.is_some()) else { return false };
        let base = self.grids[host].base;
        (first >> THREAD_BITS) < base && (second >> THREAD_BITS) >= base
    }

    /// A thread launches a grid.
    pub fn child(&mut self, number: u64, order: ChildOrder, by: Key, clock: Clock) {
        let block = by >> THREAD_BITS;
        let parent = self.position(block);
        self.children.insert(number, Child { clock, order, parent, block, ran: None, began: 0 });
    }

    /// A grid that was launched is about to begin.
    pub fn begin_child(&mut self, number: u64) {
        self.beginning = Some(number);
        if let Some(child) = self.children.get_mut(&number) {
            child.began = self.next;
        }
    }

    /// A grid that was launched has ended, and all that it launched.
    pub fn end_child(&mut self, number: u64) {
        if let Some(child) = self.children.get_mut(&number) {
            child.ran = Some(child.began..self.next);
        }
    }

    /// The knowledge of a launched grid's threads at their start.
    ///
    /// Source: CUDA Programming Guide, dynamic parallelism, memory consistency.
    fn start(&self, number: u64) -> Clock {
        let Some(child) = self.children.get(&number) else { return Clock::default() };
        let mut clock = child.clock.clone();
        match child.order {
            ChildOrder::Free => {}
            // Grids run depth first, so the launching grid's children have consecutive block numbers.
            ChildOrder::Tail => know(&mut clock, self.grids[child.parent].base..self.next),
            ChildOrder::Block => {
                let earlier = self.children.values().filter(|other| {
                    let alike = (other.parent, other.block) == (child.parent, child.block);
                    alike && other.order == ChildOrder::Block
                });
                earlier.filter_map(|other| other.ran.clone()).for_each(|ran| know(&mut clock, ran));
            }
        }
        clock
    }

    /// The grid that runs.
    #[inline]
    pub fn current(&self) -> Option<&Grid> {
        self.grids.last()
    }

    /// The grid of a thread.
    pub fn of(&self, key: Key) -> &Grid {
        &self.grids[self.position(key >> THREAD_BITS)]
    }

    fn position(&self, block: u64) -> usize {
        self.grids.partition_point(|grid| grid.base <= block).saturating_sub(1)
    }

    /// The number of a thread's block.
    pub fn block_of(key: Key) -> u64 {
        key >> THREAD_BITS
    }

    /// The number of a block's first thread.
    pub fn first_of(block: u64) -> Key {
        block << THREAD_BITS
    }

    /// The blocks of a thread's cluster, with the narrowest scope that holds it and them.
    pub fn near(&self, key: Key) -> impl Iterator<Item = (MemoryScope, u64)> {
        let own = Self::block_of(key);
        let others = self.grids[self.position(own)].cluster_mates(own);
        others.map(move |block| {
            let scope = if block == own { MemoryScope::Block } else { MemoryScope::Cluster };
            (scope, block)
        })
    }

    /// The narrowest scope that holds both threads.
    pub fn between(&self, a: Key, b: Key) -> MemoryScope {
        let (a, b) = (a >> THREAD_BITS, b >> THREAD_BITS);
        if a == b {
            return MemoryScope::Block;
        }
        let (mine, theirs) = (self.position(a), self.position(b));
        let grid = &self.grids[mine];
        match mine == theirs && grid.cluster != [1; 3] && grid.cluster_of(a) == grid.cluster_of(b) {
            true => MemoryScope::Cluster,
            false => MemoryScope::Device,
        }
    }
}

impl Grid {
    /// The number of a thread, from its block's linear index and its own.
    pub fn key(&self, block: u64, linear: u32) -> Key {
        (self.base + block) << THREAD_BITS | u64::from(linear)
    }

    /// Linear index of a block in the grid, `x` fastest.
    pub fn linear(&self, block: [u32; 3]) -> u64 {
        let [x, y, z] = block.map(u64::from);
        let [width, height, _] = self.grid.map(u64::from);
        (z * height + y) * width + x
    }

    pub fn start(&self) -> Clock {
        self.start.clone()
    }

    /// Whether its clusters have more than one block.
    pub fn has_clusters(&self) -> bool {
        self.cluster != [1; 3]
    }

    pub fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// The block's index and the thread's in it.
    pub fn indices(&self, key: Key) -> ([u32; 3], [u32; 3]) {
        let thread = key & ((1 << THREAD_BITS) - 1);
        (unflatten((key >> THREAD_BITS) - self.base, self.grid), unflatten(thread, self.block))
    }

    /// The blocks of a block's cluster.
    fn cluster_mates(&self, block: u64) -> impl Iterator<Item = u64> {
        let first = self.cluster_of(block);
        let count = self.cluster.iter().map(|n| u64::from(*n)).product();
        (0..count).map(move |rank| {
            let offset = unflatten(rank, self.cluster);
            let index = std::array::from_fn(|i| first[i] * self.cluster[i] + offset[i]);
            self.base + self.linear(index)
        })
    }

    fn cluster_of(&self, block: u64) -> [u32; 3] {
        let index = unflatten(block - self.base, self.grid);
        std::array::from_fn(|i| index[i] / self.cluster[i])
    }
}

/// All accesses of these blocks are over.
fn know(clock: &mut Clock, blocks: Range<u64>) {
    for block in blocks {
        clock.raise(block << THREAD_BITS, Group::Block, u32::MAX);
    }
}

/// The index whose linear index, `x` fastest, is `i`.
fn unflatten(i: u64, [x, y, _]: [u32; 3]) -> [u32; 3] {
    let (x, y) = (u64::from(x), u64::from(y));
    [(i % x) as u32, (i / x % y) as u32, (i / x / y) as u32]
}
