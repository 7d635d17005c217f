//! The state of one simulated launch, reached by its threads through one pointer.
//!
//! All of it lives on one OS thread; what changes is in cells, and no borrow lasts while a
//! simulated thread waits.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

use corosensei::Yielder;

use rustc_hash::FxHashMap;

use super::arena::Arena;
use super::barrier::Barrier;
use super::events;
use super::facts::{Child, Instruction, Line};
use super::groups::Owner;
use super::mbarrier::{Awaited, Mbarriers};
use super::meeting::{self, Arrival, Named, Split};
use super::memory::{self, SharedMemory};
use super::nested::Nesting;
use super::observer::Interests;
use super::registers::Registers;
use super::shape::{Shape, WARP};
use super::spins::Spins;
use super::transfer::Transfers;
use super::warp::Warp;
use super::wgmma::Warpgroups;
use super::{SimFault, SimLaunch, SimReport};

/// One launch while it runs.
pub(super) struct Machine<'a> {
    pub launch: &'a SimLaunch<'a>,
    /// Runs the kernel for the current thread.
    pub thread: &'a dyn Fn(),
    pub shape: Shape,
    /// The running thread.
    pub here: Cell<Here>,
    /// How the running fiber goes back to the scheduler.
    pub yielder: Cell<*const Yielder<(), ()>>,
    /// The blocks of the current cluster, by rank.
    pub blocks: Vec<Block>,
    pub cluster: Cluster,
    pub shared: SharedMemory,
    pub arena: Arena,
    pub queues: Queues,
    /// The half barriers that fibers have arrived at and not waited for: their generation and number.
    pub arrivals: RefCell<FxHashMap<u32, Arrival>>,
    /// Where each fiber waits.
    pub waits: RefCell<Vec<Wait>>,
    /// The ends of stacks without a guard page, by fiber.
    pub sentinels: RefCell<FxHashMap<u32, *mut [u8; 64]>>,
    /// The results of each fiber's last atomics, while it may be spinning.
    pub spins: RefCell<Spins>,
    /// Copies that threads have started, and work of the copy engine.
    pub transfers: RefCell<Transfers>,
    /// Products of warpgroups.
    pub warpgroups: RefCell<Warpgroups>,
    /// Registers that threads have given back and taken.
    pub registers: RefCell<Registers>,
    /// Barriers that count arrivals and bytes.
    pub mbarriers: Mbarriers,
    pub counters: Counters,
    /// The launches by its threads.
    pub children: RefCell<Vec<Child>>,
    /// How deep it is nested, and the launches of the whole tree that have not ended.
    pub nesting: Nesting<'a>,
    /// The instruction that the interpreter executes, while it runs the kernel.
    pub instruction: Cell<Option<Instruction>>,
    /// Whether the running thread's operations order nothing, because the launch leaves out their synchronisation.
    pub unordered: Cell<bool>,
    /// The events that its observers want.
    pub interests: Interests,
    pub fault: RefCell<Option<SimFault>>,
    /// Message, file and line of the last panic, as the hook saw it.
    pub panic: RefCell<Option<(String, String, u32)>>,
}

/// The running thread.
#[derive(Clone, Copy)]
pub(super) struct Here {
    pub thread_idx: [u32; 3],
    /// Linear index in the block.
    pub linear: u32,
    pub block_idx: [u32; 3],
    /// Rank of the block in the cluster.
    pub rank: u32,
    pub fiber: u32,
}

impl Here {
    /// The thread, as what waits in groups is known by.
    pub fn owner(&self) -> Owner {
        (self.block_idx, self.linear)
    }
}

/// A block while it runs.
pub(super) struct Block {
    pub idx: Cell<[u32; 3]>,
    pub barrier: Barrier,
    /// Threads that have not returned.
    pub live: Cell<u32>,
    pub warps: Vec<Warp>,
    pub named: [Named; meeting::NAMED],
    /// The barrier of its cluster in two halves, in a launch whose clusters are blocks.
    pub split: Split,
    /// Votes given at the barrier, the count of the last one, and who has yet to read it.
    pub votes: Cell<u32>,
    pub result: Cell<u32>,
    pub voters: Cell<u32>,
}

/// A cluster while it runs.
pub(super) struct Cluster {
    pub barrier: Barrier,
    pub split: Split,
    /// Threads that have not returned.
    pub live: Cell<u32>,
}

/// Fibers by what they do next.
#[derive(Default)]
pub(super) struct Queues {
    /// Their wait is over.
    pub ready: RefCell<VecDeque<u32>>,
    /// They spin on atomics and have given way.
    pub spinning: RefCell<VecDeque<u32>>,
    /// They have no thread.
    pub idle: RefCell<Vec<u32>>,
    /// The next thread to start: places in the orders of blocks and of threads.
    pub next: Cell<(u32, u32)>,
    /// Set once idle fibers are to return.
    pub quit: Cell<bool>,
}

/// Where a fiber waits.
#[derive(Clone, Copy)]
pub(super) struct Wait {
    pub kind: WaitKind,
    pub at: Line,
    pub rank: u32,
    pub linear: u32,
}

/// The reason why a fiber waits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitKind {
    Nothing,
    Block,
    Cluster,
    Grid,
    Halves,
    Warp {
        operation: &'static str,
        mask: u32,
    },
    Named,
    Warpgroup {
        operation: &'static str,
    },
    Registers {
        operation: &'static str,
        held: u32,
        wanted: u32,
        free: u32,
    },
    Mbarrier {
        operation: &'static str,
        address: usize,
        awaited: Awaited,
    },
    /// A barrier that counts, to be made.
    Unmade {
        operation: &'static str,
    },
    Together,
    Spin,
}

/// The counts of the report, and the state of the atomic budget.
#[derive(Default)]
pub(super) struct Counters {
    pub clusters: Cell<u64>,
    pub threads: Cell<u64>,
    pub barriers: Cell<u64>,
    pub exchanges: Cell<u64>,
    pub atomics: Cell<u64>,
    /// Readings of the clock.
    pub ticks: Cell<u64>,
    /// Threads whose sums a product computes, each as often as it has such sums.
    pub in_flight: Cell<u32>,
    /// Numbers of the things that observers hear of.
    pub numbers: Cell<u64>,
    /// The count of atomics at which the thread gives way.
    pub next_check: Cell<u64>,
    /// The count of atomics, and of all progress, when progress was last seen.
    pub progress: Cell<(u64, u64)>,
    /// The count of atomics when one last found something new, or changed something.
    pub found: Cell<u64>,
}

impl<'a> Machine<'a> {
    /// A machine about to run the first cluster of a launch.
    pub fn new(
        launch: &'a SimLaunch<'a>,
        thread: &'a dyn Fn(),
        nesting: Nesting<'a>,
    ) -> Result<Self, SimFault> {
        let shape = Shape::new(launch)?;
        let limit = launch.settings.shared_limit.min(memory::LARGEST);
        if launch.dynamic_shared > limit {
            let (kernel, bytes) = (launch.kernel.to_owned(), launch.dynamic_shared);
            return Err(SimFault::SharedMemory { kernel, bytes, limit });
        }
        let shared = SharedMemory::new(shape.cluster_blocks, limit, launch.dynamic_shared);
        let blocks = (0..shape.cluster_blocks).map(|_| Block::new(shape.threads)).collect();
        let here = Here { thread_idx: [0; 3], linear: 0, block_idx: [0; 3], rank: 0, fiber: 0 };
        Ok(Self {
            launch,
            thread,
            shape,
            here: Cell::new(here),
            yielder: Cell::new(std::ptr::null()),
            blocks,
            cluster: Cluster { barrier: Barrier::default(), split: Split::default(), live: Cell::new(0) },
            arrivals: RefCell::default(),
            transfers: RefCell::default(),
            warpgroups: RefCell::default(),
            registers: RefCell::default(),
            mbarriers: Mbarriers::default(),
            sentinels: RefCell::default(),
            spins: RefCell::default(),
            shared,
            arena: Arena::default(),
            queues: Queues::default(),
            waits: RefCell::default(),
            counters: Counters::default(),
            children: RefCell::default(),
            nesting,
            instruction: Cell::new(None),
            unordered: Cell::new(false),
            interests: events::interests(launch.observers),
            fault: RefCell::default(),
            panic: RefCell::default(),
        })
    }

    /// Makes the cluster whose first block is `origin` the current one.
    pub fn enter_cluster(&self, origin: [u32; 3]) {
        self.shared.reset();
        self.arena.reset();
        self.mbarriers.reset();
        self.transfers.borrow_mut().reset();
        self.warpgroups.borrow_mut().reset();
        self.counters.in_flight.set(0);
        self.registers.borrow_mut().reset();
        let threads = self.shape.threads;
        for (rank, block) in (0..).zip(&self.blocks) {
            block.reset(self.shape.block_idx(origin, rank), threads);
            self.notify(|observer| observer.on_block(block.idx.get()));
        }
        self.cluster.live.set(threads * self.shape.cluster_blocks);
        self.queues.next.set((0, 0));
        self.counters.clusters.update(|n| n + 1);
    }

    /// Whether blocks wait for those that run to end.
    pub fn has_unstarted(&self) -> bool {
        self.counters.clusters.get() < self.shape.cluster_count()
    }

    /// The outcome of the launch so far.
    pub fn report(&self) -> SimReport {
        let c = &self.counters;
        SimReport {
            clusters: c.clusters.get(),
            threads: c.threads.get(),
            barriers: c.barriers.get(),
            exchanges: c.exchanges.get(),
            atomics: c.atomics.get(),
            fibers: self.waits.borrow().len(),
        }
    }

    /// The block of the running thread.
    pub fn block(&self) -> &Block {
        &self.blocks[self.here.get().rank as usize]
    }

    /// Tells the observers, if there are any.
    #[inline]
    pub fn notify(&self, tell: impl Fn(&dyn super::Observer)) {
        for observer in self.launch.observers {
            tell(*observer);
        }
    }
}

impl Block {
    fn new(threads: u32) -> Self {
        let warps =
            (0..threads.div_ceil(WARP)).map(|warp| Warp::new((threads - warp * WARP).min(WARP))).collect();
        Self {
            idx: Cell::new([0; 3]),
            barrier: Barrier::default(),
            live: Cell::new(threads),
            warps,
            named: std::array::from_fn(|_| Named::default()),
            split: Split::default(),
            votes: Cell::new(0),
            result: Cell::new(0),
            voters: Cell::new(0),
        }
    }

    fn reset(&self, idx: [u32; 3], threads: u32) {
        self.idx.set(idx);
        self.live.set(threads);
        self.warps.iter().for_each(|warp| warp.returned.set(0));
        self.named.iter().for_each(Named::reset);
    }
}
