//! Finds data races: two accesses of the same bytes, one of them a store, that nothing orders.
//!
//! Races are found by happens-before, independently of the order in which the simulator ran the threads: blocks are
//! concurrent, and so are the lanes of a warp, unless a barrier, a fence with a flag or a release and an acquire orders
//! them. A thread that has returned counts as having arrived at the barriers of its block and cluster, and where a mask of
//! its warp names it. What cannot race is not looked at: constant memory, and variables.
//!
//! Source: PTX ISA, memory consistency model.

use std::cell::RefCell;
use std::sync::atomic::Ordering;

use super::clock::{Asks, Key};
use super::counting::{CountingBarriers, Made};
use super::exits::{Exits, Use, Visit};
use super::grids::{Begun, Grids};
use super::hint::{self, SeenRelease, Situation, Unfenced};
use super::history::{Class, Mark};
use super::lines::Lines;
use super::releases::Releases;
use super::shadow::Shadow;
use super::threads::{Mover, Threads, is_copy};
use super::view::View;
use crate::simulator::{
    Access, AccessKind, ChildOrder, DataRace, Doing, Interests, Line, MbarrierEvent, MbarrierUse, Meeting,
    MemoryScope, Observer, Party, ProxyFence, SimFault, SimLaunch, SimReport, Space, Thread, TransferEvent,
    TransferKind, memory_name,
};

/// Marks the number of a copy's loads, where its stores may be over later.
const LOADS: u64 = 1 << 63;
/// Marks a number that is a warpgroup's: a thread that knows count `n` of it knows that the first `n` products are over.
const WARPGROUP: Key = 1 << 46;

/// Ends a launch with [`SimFault::DataRace`] at the first access that races with an earlier one, and with
/// [`SimFault::SharedMemoryGone`] where a block may exit while another uses its shared memory.
///
/// One observer may watch any number of launches, one after the other.
#[derive(Default)]
pub struct Races(RefCell<State>);

#[derive(Default)]
struct State {
    grids: Grids,
    threads: Threads,
    releases: Releases,
    exits: Exits,
    counting: CountingBarriers,
    shared_releases: Releases,
    global: Shadow,
    shared: Shadow,
    lines: Lines,
    /// Whether a block has begun and no thread of it has done anything.
    fresh: bool,
}

impl Races {
    /// A detector that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Observer for Races {
    fn interests(&self) -> Interests {
        Interests { accesses: true, ..Interests::default() }
    }

    fn on_launch(&self, launch: &SimLaunch<'_>) {
        let mut guard = self.0.borrow_mut();
        let state = &mut *guard;
        match state.grids.begin(launch) {
            Begun::Child => {}
            Begun::Overlapping => {
                state.threads.next_launch();
                state.exits.clear();
            }
            Begun::Alone => {
                state.threads = Threads::default();
                state.releases.clear();
                state.exits.clear();
                state.global.clear();
            }
        }
        state.clear_shared();
    }

    fn on_block(&self, block: [u32; 3]) {
        let mut guard = self.0.borrow_mut();
        let state = &mut *guard;
        if !std::mem::replace(&mut state.fresh, true) {
            state.clear_shared();
        }
        if let Some(grid) = state.grids.current() {
            let first = grid.key(grid.linear(block), 0);
            state.threads.begin(first, grid.threads(), &grid.start());
        }
    }

    fn on_thread_end(&self, by: &Thread) {
        let mut guard = self.0.borrow_mut();
        let key = guard.key(by);
        guard.fresh = false;
        guard.end(key);
    }

    fn on_access(&self, by: &Thread, access: &Access) -> Result<(), SimFault> {
        let mut guard = self.0.borrow_mut();
        let key = guard.key(by);
        guard.access(key, None, access)?;
        guard.visit(by, key, None, access)?;
        guard.operate(key, access);
        Ok(())
    }

    fn on_copy_start(&self, by: &Thread, copy: u64, from: &Access, to: &Access) -> Result<(), SimFault> {
        let mut guard = self.0.borrow_mut();
        let key = guard.key(by);
        let copy = guard.threads.start_copy(key, copy, Mover::Thread);
        guard.access(key, Some(copy), from)?;
        guard.access(key, Some(copy), to)
    }

    fn on_transfer_start(&self, by: &Thread, transfer: &TransferEvent<'_>) -> Result<(), SimFault> {
        let mut guard = self.0.borrow_mut();
        let key = guard.key(by);
        guard.transfer(by, key, transfer)
    }

    fn on_transfer_waited(&self, by: &Thread, transfer: u64, reads_alone: bool) {
        let mut guard = self.0.borrow_mut();
        let key = guard.key(by);
        guard.threads.end_copy(key, transfer | LOADS);
        if !reads_alone {
            guard.threads.end_copy(key, transfer);
        }
    }

    fn on_product_waited(&self, by: &Thread, warpgroup: u64, (count, product): (u32, u64)) {
        let mut guard = self.0.borrow_mut();
        let key = guard.key(by);
        guard.threads.end_product(key, WARPGROUP | warpgroup, count, [product, product | LOADS]);
    }

    fn on_transfer_counted(&self, transfer: u64, barrier: usize) {
        let mut guard = self.0.borrow_mut();
        let state = &mut *guard;
        state.counting.count(barrier, [transfer, transfer | LOADS], &mut state.threads);
    }

    fn on_mbarrier(&self, by: &Thread, event: &MbarrierEvent, at: Line) -> Result<(), SimFault> {
        let mut guard = self.0.borrow_mut();
        let key = guard.key(by);
        guard.count(by, key, event, at)
    }

    fn on_proxy_fence(&self, by: &Thread, fence: ProxyFence, _at: Line) {
        let mut guard = self.0.borrow_mut();
        let state = &mut *guard;
        let key = state.key(by);
        let Some(agent) = state.threads.agent_mut(key) else { return };
        match fence {
            ProxyFence::Shared => agent.fence_proxy(key, false),
            ProxyFence::Global => agent.fence_proxy(key, true),
            ProxyFence::MbarrierInit => state.counting.fence(key, agent),
        }
    }

    fn on_copy_end(&self, by: &Thread, copy: u64) {
        let mut guard = self.0.borrow_mut();
        let key = guard.key(by);
        guard.threads.end_copy(key, copy);
    }

    fn on_dependency_wait(&self, by: &Thread) {
        let mut guard = self.0.borrow_mut();
        let state = &mut *guard;
        let key = state.key(by);
        let ended = state.grids.wait_for_previous();
        if let Some(agent) = state.threads.agent_mut(key) {
            agent.acquire(key, &ended);
        }
    }

    fn on_fence(&self, by: &Thread, scope: MemoryScope, _at: Line) {
        let mut guard = self.0.borrow_mut();
        let key = guard.key(by);
        if let Some(agent) = guard.threads.agent_mut(key) {
            agent.fence(key, scope);
        }
    }

    fn on_arrive(&self, by: &Thread, meeting: &Meeting, _at: Line) {
        if meeting.orders.is_some() {
            let mut guard = self.0.borrow_mut();
            let key = guard.key(by);
            guard.threads.arrive(key, meeting);
        }
    }

    fn on_leave(&self, by: &Thread, meeting: &Meeting) {
        if meeting.orders.is_some() {
            let mut guard = self.0.borrow_mut();
            let key = guard.key(by);
            guard.threads.leave(key, meeting);
        }
    }

    fn on_child(&self, by: &Thread, child: u64, order: ChildOrder) {
        let mut guard = self.0.borrow_mut();
        let state = &mut *guard;
        let key = state.key(by);
        if let Some(agent) = state.threads.agent_mut(key) {
            let clock = agent.release(key);
            state.grids.child(child, order, key, clock);
        }
    }

    fn on_child_begin(&self, child: u64) {
        self.0.borrow_mut().grids.begin_child(child);
    }

    fn on_child_end(&self, child: u64) {
        self.0.borrow_mut().grids.end_child(child);
    }

    fn on_finish(&self, _report: &SimReport) -> Result<(), SimFault> {
        let mut state = self.0.borrow_mut();
        if state.global.is_full() || state.shared.is_full() {
            eprintln!(
                "warpsmith: races with some loads of this launch were not looked for: too many threads read the same memory"
            );
        }
        state.left()
    }
}

impl State {
    /// Shared memory is that of other blocks from now on.
    fn clear_shared(&mut self) {
        self.shared.clear();
        self.shared_releases.clear();
        self.counting.clear();
    }

    fn key(&mut self, by: &Thread) -> Key {
        self.fresh = false;
        self.grids.current().map_or(0, |grid| grid.key(by.block, by.linear))
    }

    /// An access of a thread, or of a copy that it has started.
    fn access(&mut self, thread: Key, copy: Option<Key>, access: &Access) -> Result<(), SimFault> {
        let (shadow, releases) = match access.space {
            Space::Global => (&mut self.global, &mut self.releases),
            Space::Shared { .. } => (&mut self.shared, &mut self.shared_releases),
            Space::Constant | Space::Local => return Ok(()),
        };
        let Some(agent) = self.threads.agent(thread) else { return Ok(()) };
        let class = Class::new(access.kind, (access.address, access.bytes));
        let mark = Mark {
            key: copy.unwrap_or(thread),
            epoch: if copy.is_some() { 1 } else { agent.epoch },
            line: self.lines.number(access.by.at),
            class,
        };
        let engine = copy.filter(|copy| self.threads.is_engine(*copy)).map(|_| access.space == Space::Global);
        let view = View { thread, agent, threads: &self.threads, grids: &self.grids, engine };
        match shadow.access(access.address, access.bytes as usize, &mark, &view) {
            Ok(stored_strongly) => {
                if stored_strongly {
                    releases.forget(access.address, access.bytes);
                }
                Ok(())
            }
            Err(earlier) => Err(self.race(&earlier, &mark, access)),
        }
    }

    /// A copy that a thread gives to the copy engine.
    fn transfer(&mut self, by: &Thread, key: Key, transfer: &TransferEvent<'_>) -> Result<(), SimFault> {
        let at = transfer.writes.first().map(|access| access.by.at);
        for (barrier, at) in transfer.barriers.iter().filter_map(|barrier| Some((*barrier, at?))) {
            let Some(agent) = self.threads.agent(key) else { return Ok(()) };
            if let Some(made) = self.counting.unordered(barrier, key, agent) {
                return Err(self.unmade(made, key, at, hint::UNORDERED_BARRIER));
            }
            if let Some(made) = self.counting.invisible(barrier, key, agent) {
                return Err(self.unmade(made, key, at, hint::INVISIBLE_BARRIER));
            }
        }
        let mover = match transfer.kind {
            TransferKind::Product => Mover::TensorCores,
            _ => Mover::Engine,
        };
        let loads = self.threads.start_copy(key, transfer.number | LOADS, mover);
        let stores = self.threads.start_copy(key, transfer.number, mover);
        for (copy, access) in transfer
            .reads
            .iter()
            .map(|access| (loads, access))
            .chain(transfer.writes.iter().map(|access| (stores, access)))
        {
            self.access(key, Some(copy), access)?;
            self.visit(by, key, Some(copy), access)?;
        }
        // A copy that a barrier of another block counts also reads this block's memory, which must not exit before.
        for access in transfer.reads.iter().filter(|_| !transfer.barriers.is_empty()) {
            if access.space == (Space::Shared { rank: by.rank }) {
                self.visit_block(by.rank, key, ((loads, 1), Visit::Reads), access.by.at)?;
            }
        }
        Ok(())
    }

    /// Something that a thread does with a barrier that counts.
    fn count(&mut self, by: &Thread, key: Key, event: &MbarrierEvent, at: Line) -> Result<(), SimFault> {
        let Some(agent) = self.threads.agent_mut(key) else { return Ok(()) };
        let is_by_thread = !matches!(event.does, MbarrierUse::Init | MbarrierUse::Complete(_));
        if is_by_thread && let Some(made) = self.counting.unordered(event.address, key, agent) {
            return Err(self.unmade(made, key, at, hint::UNORDERED_BARRIER));
        }
        let known = (key, agent.epoch);
        self.counting.operate(event.address, event.does, key, agent, at);
        if is_by_thread && event.rank != by.rank {
            self.visit_block(event.rank, key, (known, Visit::Arrives), at)?;
        }
        Ok(())
    }

    /// A barrier that is used before its making is ordered before, or is visible to the copy engine.
    #[cold]
    fn unmade(&self, made: Made, by: Key, at: Line, hint: &str) -> SimFault {
        let party = |key: Key, at: Line, does: Doing| {
            let grid = self.grids.of(key);
            let (block, thread) = grid.indices(key);
            Party {
                does,
                kernel: grid.kernel.clone(),
                file: at.file.to_owned(),
                line: at.line,
                block,
                thread,
            }
        };
        let (first, second) =
            (party(made.by, made.at, Doing::MakesBarrier), party(by, at, Doing::UsesBarrier));
        let (held, hint) = (Vec::new(), hint.to_owned());
        SimFault::DataRace(Box::new(DataRace { memory: "shared", bytes: 8, first, second, held, hint }))
    }

    /// A thread has ended.
    fn end(&mut self, key: Key) {
        self.threads.end(key);
        let Some(grid) = self.grids.current().filter(|grid| grid.has_clusters()) else { return };
        if let Some(agent) = self.threads.agent(key) {
            self.exits.end(Grids::block_of(key), grid.threads(), agent, &self.threads);
        }
    }

    /// An access of what may be the shared memory of another block, by a thread or by a copy that it has started.
    #[inline(always)]
    fn visit(&mut self, by: &Thread, key: Key, copy: Option<Key>, access: &Access) -> Result<(), SimFault> {
        let Space::Shared { rank } = access.space else { return Ok(()) };
        if rank == by.rank {
            return Ok(());
        }
        let visit = match (access.kind, copy) {
            (AccessKind::Read, _) => Visit::Reads,
            (_, None) => Visit::Writes,
            (_, Some(_)) => Visit::Sends,
        };
        let epoch = self.threads.agent(key).map_or(0, |agent| agent.epoch);
        let known = copy.map_or((key, epoch), |copy| (copy, 1));
        self.visit_block(rank, key, (known, visit), access.by.at)
    }

    /// A thread uses the shared memory of the block of this rank in its cluster.
    fn visit_block(
        &mut self,
        rank: u32,
        by: Key,
        (known, visit): ((Key, u32), Visit),
        at: Line,
    ) -> Result<(), SimFault> {
        let Some(grid) = self.grids.current() else { return Ok(()) };
        let (threads, line) = (grid.threads(), self.lines.number(at));
        if let Some((_, owner)) = self.grids.near(by).nth(rank as usize) {
            self.exits.used(owner, threads, Use { by, known, visit, line });
        }
        self.left()
    }

    /// A block that may have exited while its shared memory was in use.
    fn left(&mut self) -> Result<(), SimFault> {
        let Some((Use { by, line, .. }, owner)) = self.exits.late() else { return Ok(()) };
        let (grid, at) = (self.grids.of(by), self.lines.of(line));
        let ((block, thread), (owner, _)) = (grid.indices(by), grid.indices(Grids::first_of(owner)));
        let (kernel, file, line) = (grid.kernel.clone(), at.file.to_owned(), at.line);
        Err(SimFault::SharedMemoryGone { kernel, owner, file, line, block, thread })
    }

    /// Applies the releases and the acquisitions of an atomic or volatile access.
    #[inline]
    fn operate(&mut self, key: Key, access: &Access) {
        if matches!(access.kind, AccessKind::Read | AccessKind::Write) {
            return;
        }
        let order = match access.kind {
            AccessKind::Atomic { order, .. } => order,
            _ => Ordering::Relaxed,
        };
        if let (Class::Strong(strong), Some(agent)) =
            (Class::new(access.kind, (access.address, access.bytes)), self.threads.agent_mut(key))
        {
            let releases = match access.space {
                Space::Shared { .. } => &mut self.shared_releases,
                _ => &mut self.releases,
            };
            releases.operate(key, agent, &strong, order, &self.grids);
        }
    }

    #[cold]
    fn race(&self, earlier: &Mark, later: &Mark, access: &Access) -> SimFault {
        let (first, second) = (self.party(earlier), self.party(later));
        let between = self.grids.between(self.threads.owner(earlier.key), self.threads.owner(later.key));
        let (one, other) = (self.threads.owner(earlier.key), self.threads.owner(later.key));
        let shadow = match access.space {
            Space::Shared { .. } => &self.shared,
            _ => &self.global,
        };
        let hint = Situation {
            first: first.does,
            second: second.does,
            classes: (earlier.class, later.class),
            between,
            same_warp: one >> 5 == other >> 5,
            apart: !shadow.has_record(one >> 5, later.line) && !shadow.has_record(other >> 5, earlier.line),
            seen: self.seen_release(earlier, other),
            overlaps: self.grids.are_launched_apart(one, other),
            heard: self
                .threads
                .agent(other)
                .is_some_and(|agent| agent.has_heard(one, self.epoch_of(earlier))),
            proxies: self.proxies(earlier, later, access),
        };
        let hint = hint.hint();
        let (memory, bytes) = (memory_name(access.space), access.bytes);
        SimFault::DataRace(Box::new(DataRace { memory, bytes, first, second, held: Vec::new(), hint }))
    }

    /// Whether a copy by the copy engine comes after an access that is ordered before it, and not visible to it.
    fn proxies(&self, earlier: &Mark, later: &Mark, access: &Access) -> Option<Unfenced> {
        if !self.threads.is_engine(later.key) {
            return None;
        }
        let thread = self.threads.owner(later.key);
        let agent = self.threads.agent(thread)?;
        let is_known = self.threads.ordered(earlier.key, earlier.epoch, thread, &agent.clock, Asks::Thread);
        (is_known && !self.threads.is_engine(earlier.key))
            .then_some(Unfenced { global: access.space == Space::Global })
    }

    /// The epoch of its thread in which something was done, if it was no copy.
    fn epoch_of(&self, mark: &Mark) -> u32 {
        if is_copy(mark.key) { u32::MAX } else { mark.epoch }
    }

    /// Who of a thread's block has seen that an access was released, the thread itself before others.
    fn seen_release(&self, released: &Mark, thread: Key) -> Option<SeenRelease> {
        let (by, needed) = self.threads.seen_release(released.key, released.epoch, thread)?;
        let (_, index) = self.grids.of(by).indices(by);
        Some(SeenRelease { thread: index, own: by == thread, needed })
    }

    fn party(&self, mark: &Mark) -> Party {
        let owner = self.threads.owner(mark.key);
        let grid = self.grids.of(owner);
        let (block, thread) = grid.indices(owner);
        let at = self.lines.of(mark.line);
        let mover = self.threads.mover(mark.key);
        let does = match (mark.class, is_copy(mark.key)) {
            (_, true) if mover == Mover::TensorCores => Doing::ProductRead,
            (Class::Read, true) if mover == Mover::Engine => Doing::BulkRead,
            (_, true) if mover == Mover::Engine => Doing::BulkWrite,
            (Class::Read, true) => Doing::CopyRead,
            (_, true) => Doing::CopyWrite,
            (Class::Read, _) => Doing::Read,
            (Class::Write, _) => Doing::Write,
            (Class::Strong(strong), _) if strong.volatile => Doing::Volatile { writes: strong.writes },
            (Class::Strong(strong), _) => Doing::Atomic { writes: strong.writes, scope: strong.scope },
        };
        Party { does, kernel: grid.kernel.clone(), file: at.file.to_owned(), line: at.line, block, thread }
    }
}
