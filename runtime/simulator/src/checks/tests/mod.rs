//! The checks' rules, on events that no kernel made.

mod atomics;
mod barriers;
mod copies;
mod nested;
mod plain;
mod reads;
mod scale;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::atomic::Ordering;

use super::Races;
use crate::simulator::{
    Access, AccessKind, DataRace, Expected, Instruction, Line, Meeting, MemoryScope, Observer, SimFault,
    SimLaunch, Space, Thread,
};

const SHARED: Space = Space::Shared { rank: 0 };

/// A launch of one-dimensional blocks whose threads do what a test says, in the order in which it says it.
struct World {
    races: Races,
    threads: u32,
    cluster: u32,
    numbers: Cell<u64>,
    /// The open meetings by name.
    open: RefCell<HashMap<&'static str, u64>>,
}

/// A thread of it: its block and its index.
type Who = (u64, u32);

/// What a step ended with.
type Step = Result<(), SimFault>;

impl World {
    /// Blocks that begin at once.
    fn new(blocks: u32, threads: u32) -> Self {
        Self::of_clusters(blocks, threads, 1)
    }

    fn of_clusters(blocks: u32, threads: u32, cluster: u32) -> Self {
        let (races, numbers, open) = (Races::new(), Cell::new(0), RefCell::default());
        let world = Self { races, threads, cluster, numbers, open };
        world.begin("test", blocks);
        world
    }

    fn begin(&self, kernel: &str, blocks: u32) {
        let launch = SimLaunch::new(kernel, [blocks, 1, 1], [self.threads, 1, 1]);
        self.races.on_launch(&SimLaunch { cluster: [self.cluster, 1, 1], ..launch });
        (0..blocks).for_each(|block| self.races.on_block([block, 0, 0]));
    }

    fn thread(&self, (block, linear): Who) -> Thread {
        let rank = block as u32 % self.cluster;
        Thread { block_idx: [block as u32, 0, 0], block, rank, thread_idx: [linear, 0, 0], linear }
    }

    fn access(
        &self,
        kind: AccessKind,
        who: Who,
        (address, bytes): (usize, u32),
        line: u32,
        space: Space,
    ) -> Step {
        self.races.on_access(&self.thread(who), &accessed(kind, (address, bytes), line, space))
    }

    /// A plain load of four bytes of global memory.
    fn read(&self, who: Who, address: usize, line: u32) -> Step {
        self.access(AccessKind::Read, who, (address, 4), line, Space::Global)
    }

    /// A plain store of four bytes of global memory.
    fn write(&self, who: Who, address: usize, line: u32) -> Step {
        self.access(AccessKind::Write, who, (address, 4), line, Space::Global)
    }

    fn load(&self, who: Who, address: usize, order: Ordering, scope: MemoryScope) -> Step {
        self.atomic(who, address, (true, false), order, scope)
    }

    fn store(&self, who: Who, address: usize, order: Ordering, scope: MemoryScope) -> Step {
        self.atomic(who, address, (false, true), order, scope)
    }

    /// A read-modify-write.
    fn update(&self, who: Who, address: usize, order: Ordering, scope: MemoryScope) -> Step {
        self.atomic(who, address, (true, true), order, scope)
    }

    fn atomic(
        &self,
        who: Who,
        address: usize,
        (reads, writes): (bool, bool),
        order: Ordering,
        scope: MemoryScope,
    ) -> Step {
        self.access(AccessKind::Atomic { reads, writes, order, scope }, who, (address, 4), 900, Space::Global)
    }

    fn volatile(&self, who: Who, address: usize, writes: bool) -> Step {
        self.access(AccessKind::Volatile { writes }, who, (address, 4), 901, Space::Global)
    }

    fn fence(&self, who: Who, scope: MemoryScope) {
        self.races.on_fence(&self.thread(who), scope, line(902));
    }

    fn number(&self) -> u64 {
        self.numbers.update(|n| n + 1);
        self.numbers.get()
    }

    /// All of these threads meet.
    fn meet(&self, name: &'static str, orders: Option<MemoryScope>, who: &[Who]) {
        let of = match name {
            "sync_threads" => Expected::Block,
            "sync_warp" => Expected::Lanes(u32::MAX),
            "cluster_sync" | "grid_sync" => Expected::Cluster,
            _ => Expected::Count,
        };
        self.meet_of(name, of, orders, who);
    }

    /// All of these threads meet, where those are expected.
    fn meet_of(&self, name: &'static str, of: Expected, orders: Option<MemoryScope>, who: &[Who]) {
        let meeting = Meeting { number: self.number(), name, of, orders, waits: true };
        who.iter().for_each(|who| self.races.on_arrive(&self.thread(*who), &meeting, line(903)));
        who.iter().for_each(|who| self.races.on_leave(&self.thread(*who), &meeting));
    }

    /// A barrier of the first `threads` threads of a block.
    fn barrier(&self, block: u64, threads: u32) {
        let who: Vec<Who> = (0..threads).map(|t| (block, t)).collect();
        self.meet("sync_threads", Some(MemoryScope::Block), &who);
    }

    fn sync_warp(&self, who: &[Who]) {
        self.meet("sync_warp", Some(MemoryScope::Block), who);
    }

    /// A thread comes to the open meeting of this name, or opens it.
    fn arrive(&self, name: &'static str, who: Who, waits: bool) -> Meeting {
        let number = *self.open.borrow_mut().entry(name).or_insert_with(|| self.number());
        let orders = Some(MemoryScope::Cluster);
        let meeting = Meeting { number, name, of: Expected::Cluster, orders, waits };
        self.races.on_arrive(&self.thread(who), &meeting, line(904));
        meeting
    }

    fn leave(&self, who: Who, meeting: &Meeting) {
        self.open.borrow_mut().remove(meeting.name);
        self.races.on_leave(&self.thread(who), meeting);
    }

    fn end(&self, who: Who) {
        self.races.on_thread_end(&self.thread(who));
    }
}

fn line(line: u32) -> Line {
    Line { file: "test.rs", line, column: 1 }
}

fn accessed(kind: AccessKind, (address, bytes): (usize, u32), at: u32, space: Space) -> Access {
    let by = Instruction { at: line(at), site: 0, instance: 0 };
    Access { address, bytes, align: bytes, space, kind, by }
}

/// The race that a step has found.
#[track_caller]
fn race(step: Step) -> DataRace {
    match step {
        Err(SimFault::DataRace(race)) => *race,
        other => panic!("no race, but {other:?}"),
    }
}

/// Whether steps end with a race, the last one only.
#[track_caller]
fn races(steps: impl IntoIterator<Item = Step>) -> bool {
    let outcomes: Vec<Step> = steps.into_iter().collect();
    let (last, earlier) = outcomes.split_last().expect("a step");
    assert!(earlier.iter().all(Result::is_ok), "an earlier step races: {earlier:?}");
    last.is_err()
}
