//! Barriers of a block and of a cluster, and what a returning thread means to them.

use std::cell::{Cell, RefCell};

use super::facts::{Expected, Line, Meeting, MemoryScope};
use super::fault::SimFault;
use super::machine::{Machine, WaitKind};
use super::shape::WARP;
use super::waiting::Missing;

/// The threads that have reached a barrier.
#[derive(Default)]
pub(super) struct Barrier {
    arrived: Cell<u32>,
    /// Its number for observers.
    number: Cell<u64>,
    /// Where the first of them waits.
    at: Cell<Option<Line>>,
    waiting: RefCell<Vec<u32>>,
}

/// Whose threads a barrier is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Block,
    Cluster,
    /// All threads of a cooperative launch, whose blocks run at the same time.
    Grid,
}

impl Barrier {
    /// One more thread has arrived; the new count, or the place where others wait, if it differs.
    fn arrive(&self, at: Line) -> Result<u32, Line> {
        match self.at.get() {
            None => self.at.set(Some(at)),
            Some(other) if other == at => {}
            Some(other) => return Err(other),
        }
        self.arrived.update(|n| n + 1);
        Ok(self.arrived.get())
    }
}

impl Machine<'_> {
    /// `sync_threads`: waits for the threads of the block.
    #[inline(always)]
    pub(super) fn block_barrier(&self, at: Line) {
        if self.is_watched() {
            return self.watched_barrier(Scope::Block, at);
        }
        if self.reach(Scope::Block, at) {
            self.suspend();
        }
    }

    /// `cluster_sync`: waits for the threads of the cluster, which is one block in a cooperative launch.
    #[inline(always)]
    pub(super) fn cluster_barrier(&self, at: Line) {
        match self.launch.cooperative {
            true => self.block_barrier(at),
            false => self.wide_barrier(at),
        }
    }

    /// Waits for all threads that run at once: `cluster_sync`, or `grid_sync` of a cooperative launch.
    #[inline(always)]
    pub(super) fn wide_barrier(&self, at: Line) {
        let scope = self.widest();
        if self.is_watched() {
            return self.watched_barrier(scope, at);
        }
        if self.reach(scope, at) {
            self.suspend();
        }
    }

    /// Whose threads run at once.
    fn widest(&self) -> Scope {
        if self.launch.cooperative { Scope::Grid } else { Scope::Cluster }
    }

    /// A barrier that observers hear of.
    #[cold]
    fn watched_barrier(&self, scope: Scope, at: Line) {
        let barrier = self.barrier(scope).0;
        if barrier.arrived.get() == 0 {
            barrier.number.set(self.next_number());
        }
        let (of, memory) = match scope {
            Scope::Block => (Expected::Block, MemoryScope::Block),
            Scope::Cluster => (Expected::Cluster, MemoryScope::Cluster),
            Scope::Grid => (Expected::Cluster, MemoryScope::Device),
        };
        let (number, name) = (barrier.number.get(), scope.name());
        let meeting = Meeting { number, name, of, orders: self.orders(memory), waits: true };
        self.tell_arrival(&meeting, at);
        if self.reach(scope, at) {
            self.suspend();
        }
        self.tell_departure(&meeting);
    }

    /// The running thread returns from the kernel.
    pub(super) fn leave(&self) {
        if self.is_watched() {
            self.tell_end();
        }
        let (here, block) = (self.here.get(), self.block());
        self.counters.threads.update(|n| n + 1);
        block.live.update(|n| n - 1);
        self.cluster.live.update(|n| n - 1);
        self.leave_transfers();
        self.leave_warpgroup();
        block.warps[(here.linear / WARP) as usize].leave(self, here.linear % WARP);
        for scope in [Scope::Block, self.widest()] {
            let (barrier, live, _) = self.barrier(scope);
            let arrived = barrier.arrived.get();
            if arrived != 0 && arrived == live {
                self.complete(scope);
            }
        }
        self.leave_halves(here.fiber);
    }

    /// The running thread reaches a barrier; whether it has to wait there.
    fn reach(&self, scope: Scope, at: Line) -> bool {
        self.need_fibers(scope.name(), at);
        if scope == Scope::Cluster {
            self.check_half(scope.name(), at);
        }
        let (barrier, live, _) = self.barrier(scope);
        match barrier.arrive(at) {
            Ok(arrived) if arrived == live => {
                self.complete(scope);
                false
            }
            Ok(_) => {
                barrier.waiting.borrow_mut().push(self.here.get().fiber);
                self.note_wait(scope.kind(), at);
                true
            }
            Err(other) => self.raise_mismatch(scope, at, other),
        }
    }

    /// A scope's barrier, the threads that have not returned, and all of its threads.
    fn barrier(&self, scope: Scope) -> (&Barrier, u32, u32) {
        let threads = self.shape.threads;
        match scope {
            Scope::Block => (&self.block().barrier, self.block().live.get(), threads),
            Scope::Cluster | Scope::Grid => {
                (&self.cluster.barrier, self.cluster.live.get(), threads * self.shape.cluster_blocks)
            }
        }
    }

    /// All threads that have not returned have arrived: lets them go on.
    fn complete(&self, scope: Scope) {
        let (barrier, live, all) = self.barrier(scope);
        let Some(at) = barrier.at.take() else { return };
        // The barrier of a grid counts blocks, and one that has returned is never counted.
        let pass = self.launch.settings.returned_threads_pass && scope != Scope::Grid;
        if live != all && !pass {
            self.raise_missing(scope, at, live, all - live);
        }
        barrier.arrived.set(0);
        self.counters.barriers.update(|n| n + 1);
        self.queues.ready.borrow_mut().extend(barrier.waiting.borrow_mut().drain(..));
        self.notify(|observer| observer.on_barrier(scope.name(), self.here.get().block_idx, at));
    }

    #[cold]
    fn raise_missing(&self, scope: Scope, at: Line, waiting: u32, count: u32) -> ! {
        let blocks =
            if scope == Scope::Block { std::slice::from_ref(self.block()) } else { &self.blocks[..] };
        let gone = blocks.iter().find_map(|block| {
            let warp = block.warps.iter().position(|warp| warp.returned.get() != 0)?;
            let linear = warp * WARP as usize + block.warps[warp].returned.get().trailing_zeros() as usize;
            Some((block.idx.get(), self.shape.coords[linear]))
        });
        let here = self.here.get();
        let (block, thread) = gone.unwrap_or((here.block_idx, here.thread_idx));
        let other = Missing::Left { block, thread, count };
        self.raise(self.not_reached(scope.name(), at, waiting, here.block_idx, other))
    }

    /// The fault of a barrier that `other` misses.
    pub(super) fn not_reached(
        &self,
        barrier: &'static str,
        at: Line,
        waiting: u32,
        block: [u32; 3],
        other: Missing,
    ) -> SimFault {
        let (kernel, file, line) = (self.kernel(), at.file.to_owned(), at.line);
        SimFault::BarrierNotReached { kernel, barrier, file, line, waiting, block, other }
    }

    #[cold]
    fn raise_mismatch(&self, scope: Scope, at: Line, other: Line) -> ! {
        let here = self.here.get();
        self.raise(SimFault::BarrierMismatch {
            kernel: self.kernel(),
            barrier: scope.name(),
            file: at.file.to_owned(),
            line: at.line,
            other_file: other.file.to_owned(),
            other_line: other.line,
            block: here.block_idx,
            thread: here.thread_idx,
        })
    }
}

impl Scope {
    fn kind(self) -> WaitKind {
        match self {
            Scope::Block => WaitKind::Block,
            Scope::Cluster => WaitKind::Cluster,
            Scope::Grid => WaitKind::Grid,
        }
    }

    fn name(self) -> &'static str {
        self.kind().name()
    }
}
