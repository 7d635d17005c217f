//! Barriers in shared memory that count arrivals and bytes, phase after phase.
//!
//! Exact to PTX: a phase is complete once no arrival is pending and as many bytes have come as were expected; the next one
//! begins in that moment with the count that the barrier was made with. Phases are numbered from 0, of which hardware
//! shows a thread one bit. The observers decide what a phase orders.
//!
//! Source: PTX ISA, parallel synchronization and communication instructions, `mbarrier`.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use super::facts::{Line, MbarrierEvent, MbarrierUse, MemoryScope};
use super::machine::{Machine, WaitKind};
use super::problem::MbarrierProblem;
use super::waiting::{MbarrierState, PhaseStep};

/// Bytes of a barrier.
pub(super) const BYTES: usize = 8;

/// Arrivals, and bytes, are counted below this.
const COUNTS: i64 = 1 << 20;

/// Times that all threads look in vain, one after the other, before a launch is taken to be stuck.
const PATIENCE: u32 = 1 << 10;

/// One barrier.
struct Mbarrier {
    /// Arrivals of a phase.
    count: u32,
    /// Arrivals that this phase misses.
    pending: u32,
    /// Bytes that are expected and have not come; below 0, bytes that have come and are not expected yet.
    missing: i64,
    /// The phase that is not complete.
    phase: u64,
    /// Where it was made.
    made: Line,
    /// Bytes of the copies that were started for this phase.
    asked: u64,
    /// The operations for this phase, each with its last line.
    steps: Vec<(&'static str, Line)>,
    /// Fibers that wait, and whether each gives up once nothing else can go on.
    waiting: Vec<(u32, bool)>,
}

/// Which phase a thread waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Awaited {
    /// The one before that of this parity, as hardware has it.
    Parity(bool),
    /// The one of this number, of which a thread knows the lower bits.
    Number(u32),
}

/// How a thread waits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    /// It looks once.
    Test,
    /// It waits, and looks up once nothing else can go on.
    Try,
    /// It waits until the phase is complete.
    Wait,
}

/// The barriers of the blocks that run, by address.
#[derive(Default)]
pub(super) struct Mbarriers {
    live: RefCell<FxHashMap<usize, Mbarrier>>,
    /// Fibers that use a barrier before it is initialised, with its address. They wait until it is, or until no thread can
    /// continue.
    early: RefCell<Vec<(usize, u32)>>,
    /// How often threads have looked in vain since one found a phase complete.
    vain: std::cell::Cell<u32>,
}

impl Mbarrier {
    /// Notes the line of an operation for this phase.
    fn step(&mut self, operation: &'static str, at: Line) {
        match self.steps.iter_mut().find(|(known, _)| *known == operation) {
            Some(step) => step.1 = at,
            None => self.steps.push((operation, at)),
        }
    }
}

impl Mbarriers {
    /// Forgets all: the blocks are others.
    pub fn reset(&self) {
        self.live.borrow_mut().clear();
        self.early.borrow_mut().clear();
        self.vain.set(0);
    }

    /// The barrier of which one of these bytes is a part.
    #[inline]
    pub fn overlapping(&self, address: usize, bytes: usize) -> Option<usize> {
        let live = self.live.borrow();
        if live.is_empty() {
            return None;
        }
        let first = address / BYTES * BYTES;
        (first..address + bytes).step_by(BYTES).find(|at| live.contains_key(at))
    }
}

impl Awaited {
    /// Whether it is complete, where the barrier is in this phase; `None` if hardware, which sees one bit, takes another
    /// phase for it.
    fn is_complete(self, phase: u64) -> Option<bool> {
        match self {
            Awaited::Parity(parity) => Some((phase & 1 == 1) != parity),
            Awaited::Number(number) => match (phase as u32).wrapping_sub(number) {
                0 => Some(false),
                1 => Some(true),
                _ => None,
            },
        }
    }
}

impl Machine<'_> {
    /// Makes a barrier at an address.
    pub(super) fn mbarrier_init(&self, address: usize, count: u32, at: Line) {
        let refuse = |problem| self.raise_misuse("mbarrier_init", problem, at);
        self.check_mbarrier_place("mbarrier_init", address, at);
        if count == 0 || i64::from(count) >= COUNTS {
            refuse(MbarrierProblem::Count { count });
        }
        if let Some(old) = self.mbarriers.live.borrow().get(&address) {
            refuse(MbarrierProblem::MadeTwice { file: old.made.file.to_owned(), line: old.made.line });
        }
        self.tell_mbarrier(address, MbarrierUse::Init, at);
        let new = Mbarrier {
            count,
            pending: count,
            missing: 0,
            phase: 0,
            made: at,
            asked: 0,
            steps: Vec::new(),
            waiting: Vec::new(),
        };
        self.mbarriers.live.borrow_mut().insert(address, new);
        let is_early = |(of, _): &mut (usize, u32)| *of == address;
        let early: Vec<_> = self.mbarriers.early.borrow_mut().extract_if(.., is_early).collect();
        self.queues.ready.borrow_mut().extend(early.into_iter().map(|(_, fiber)| fiber));
    }

    /// Ends the use of a barrier: its bytes are memory again.
    pub(super) fn mbarrier_inval(&self, address: usize, at: Line) {
        let waiting = self.on_mbarrier("mbarrier_inval", address, at, |barrier| barrier.waiting.len());
        if waiting != 0 {
            self.raise_misuse("mbarrier_inval", MbarrierProblem::Awaited, at);
        }
        self.tell_mbarrier(address, MbarrierUse::Inval, at);
        self.mbarriers.live.borrow_mut().remove(&address);
    }

    /// Arrives `count` times, and expects `bytes` more before; the number of the phase.
    pub(super) fn mbarrier_arrive(
        &self,
        operation: &'static str,
        address: usize,
        (count, bytes): (u32, u32),
        arrival: MbarrierUse,
        at: Line,
    ) -> u64 {
        if bytes != 0 {
            self.mbarrier_expect(operation, address, bytes, at);
        }
        let (phase, pending, all) = self
            .on_mbarrier(operation, address, at, |barrier| (barrier.phase, barrier.pending, barrier.count));
        if count == 0 || count > pending {
            self.raise_misuse(operation, MbarrierProblem::Arrivals { count, pending, all, phase }, at);
        }
        let arrival = if self.unordered.get() { MbarrierUse::Arrive(None) } else { arrival };
        self.tell_mbarrier(address, arrival, at);
        self.on_mbarrier(operation, address, at, |barrier| {
            barrier.pending -= count;
            barrier.step(operation, at);
        });
        self.complete_phase(address, at);
        phase
    }

    /// Expects more bytes in this phase.
    pub(super) fn mbarrier_expect(&self, operation: &'static str, address: usize, bytes: u32, at: Line) {
        let missing = self.on_mbarrier(operation, address, at, |barrier| barrier.missing);
        let missing = missing + i64::from(bytes);
        if missing.abs() >= COUNTS {
            self.raise_misuse(operation, MbarrierProblem::Bytes { missing }, at);
        }
        self.tell_mbarrier(address, MbarrierUse::Expect, at);
        self.on_mbarrier(operation, address, at, |barrier| {
            barrier.missing = missing;
            barrier.step(operation, at);
        });
        self.complete_phase(address, at);
    }

    /// Notes, for reports, that a copy has been started which a barrier counts. Returns the phase that it was started in.
    pub(super) fn mbarrier_asked(
        &self,
        operation: &'static str,
        address: usize,
        bytes: usize,
        at: Line,
    ) -> u64 {
        self.on_mbarrier(operation, address, at, |barrier| {
            barrier.asked += bytes as u64;
            barrier.step(operation, at);
            barrier.phase
        })
    }

    /// Bytes of a copy have arrived. Nothing happens if the use of the barrier has ended.
    pub(super) fn mbarrier_counted(&self, transfer: u64, address: usize, bytes: usize, at: Line) {
        let Some(missing) = self.mbarriers.live.borrow_mut().get_mut(&address).map(|barrier| {
            barrier.missing -= bytes as i64;
            barrier.missing
        }) else {
            return;
        };
        if missing.abs() >= COUNTS {
            self.raise_misuse("a copy", MbarrierProblem::Bytes { missing }, at);
        }
        self.notify(|observer| observer.on_transfer_counted(transfer, address));
        self.complete_phase(address, at);
    }

    /// An arrival that the thread's own copies make once they are done.
    pub(super) fn mbarrier_arrived_late(&self, address: usize, at: Line) {
        let pending = self
            .mbarriers
            .live
            .borrow()
            .get(&address)
            .map(|barrier| (barrier.pending, barrier.count, barrier.phase));
        match pending {
            None => {}
            Some((0, all, phase)) => {
                let problem = MbarrierProblem::Arrivals { count: 1, pending: 0, all, phase };
                self.raise_misuse("cp_async_mbarrier_arrive", problem, at)
            }
            Some(_) => {
                self.on_mbarrier("cp_async_mbarrier_arrive", address, at, |barrier| barrier.pending -= 1);
                self.complete_phase(address, at);
            }
        }
    }

    /// Returns whether the phase is complete; may wait for it, by `patience`.
    pub(super) fn mbarrier_await(
        &self,
        operation: &'static str,
        address: usize,
        awaited: Awaited,
        (patience, acquires): (Patience, MemoryScope),
        at: Line,
    ) -> bool {
        self.need_fibers(operation, at);
        if patience == Patience::Test {
            self.count_atomic(at);
        }
        loop {
            let phase = self.on_mbarrier(operation, address, at, |barrier| barrier.phase);
            match awaited.is_complete(phase) {
                Some(true) => break,
                Some(false) => {}
                None => self.raise_aliased(operation, awaited, phase, at),
            }
            self.tell_mbarrier(address, MbarrierUse::Look, at);
            if patience == Patience::Test {
                self.note_found(address, &phase.to_ne_bytes(), false);
                return false;
            }
            let (fiber, tries) = (self.here.get().fiber, patience == Patience::Try);
            self.on_mbarrier(operation, address, at, |barrier| barrier.waiting.push((fiber, tries)));
            self.note_wait(WaitKind::Mbarrier { operation, address, awaited }, at);
            let looked = self.mbarriers.vain.get();
            self.suspend();
            if tries && self.mbarriers.vain.get() != looked {
                let phase = self.on_mbarrier(operation, address, at, |barrier| barrier.phase);
                if awaited.is_complete(phase) == Some(false) {
                    return false;
                }
            }
        }
        self.mbarriers.vain.set(0);
        let phase = self.on_mbarrier(operation, address, at, |barrier| barrier.phase);
        self.see_transfers(address, phase);
        self.tell_mbarrier(address, MbarrierUse::Wait(self.orders(acquires)), at);
        true
    }

    /// Lets those look up who would rather do something else than wait, now that nothing else can go on; whether there
    /// are any, and it is worth it.
    #[cold]
    pub(super) fn give_up_waiting(&self) -> bool {
        let vain = self.mbarriers.vain.get() + 1;
        if vain > PATIENCE {
            return false;
        }
        let mut tired: Vec<u32> = Vec::new();
        for barrier in self.mbarriers.live.borrow_mut().values_mut() {
            tired.extend(barrier.waiting.iter().filter(|(_, tries)| *tries).map(|(fiber, _)| *fiber));
            barrier.waiting.retain(|(_, tries)| !tries);
        }
        tired.sort_unstable();
        self.mbarriers.vain.set(vain);
        let any = !tired.is_empty();
        self.queues.ready.borrow_mut().extend(tired);
        any
    }

    /// The part of a deadlock's report about the barrier that a thread waits for.
    pub(super) fn mbarrier_state(&self, address: usize, awaited: Awaited) -> Option<MbarrierState> {
        let live = self.mbarriers.live.borrow();
        let barrier = live.get(&address)?;
        Some(MbarrierState {
            file: barrier.made.file.to_owned(),
            line: barrier.made.line,
            number: self.shared.element_of(address, BYTES),
            phase: barrier.phase,
            awaited: match awaited {
                Awaited::Number(number) => Some(number),
                Awaited::Parity(_) => None,
            },
            pending: barrier.pending,
            count: barrier.count,
            missing: barrier.missing,
            asked: barrier.asked,
            steps: barrier
                .steps
                .iter()
                .map(|(operation, at)| PhaseStep { operation, file: at.file.to_owned(), line: at.line })
                .collect(),
        })
    }

    /// Begins the next phase if nothing is missing from this one, and wakes the threads that wait for it.
    fn complete_phase(&self, address: usize, at: Line) {
        let completed = self.mbarriers.live.borrow_mut().get_mut(&address).and_then(|barrier| {
            if barrier.pending != 0 || barrier.missing != 0 {
                return None;
            }
            barrier.pending = barrier.count;
            barrier.asked = 0;
            barrier.steps.clear();
            barrier.phase += 1;
            Some((barrier.phase - 1, std::mem::take(&mut barrier.waiting)))
        });
        let Some((phase, waiting)) = completed else { return };
        self.counters.barriers.update(|n| n + 1);
        self.tell_mbarrier(address, MbarrierUse::Complete(phase), at);
        self.queues.ready.borrow_mut().extend(waiting.into_iter().map(|(fiber, _)| fiber));
    }

    /// Calls `f` with a barrier, which must be initialised.
    fn on_mbarrier<R>(
        &self,
        operation: &'static str,
        address: usize,
        at: Line,
        f: impl FnOnce(&mut Mbarrier) -> R,
    ) -> R {
        if !self.mbarriers.live.borrow().contains_key(&address) {
            self.used_early(operation, address, at);
        }
        let done = self.mbarriers.live.borrow_mut().get_mut(&address).map(f);
        done.unwrap_or_else(|| self.raise_misuse(operation, MbarrierProblem::NotMade, at))
    }

    /// The running thread uses a barrier that is not initialised.
    ///
    /// If another thread initialises it later, nothing orders the two. The thread waits for that, so the report is the same
    /// in both orders.
    #[cold]
    fn used_early(&self, operation: &'static str, address: usize, at: Line) {
        self.check_mbarrier_place(operation, address, at);
        if self.launch.rendezvous {
            self.mbarriers.early.borrow_mut().push((address, self.here.get().fiber));
            self.note_wait(WaitKind::Unmade { operation }, at);
            self.suspend();
            self.tell_mbarrier(address, MbarrierUse::Look, at);
        }
        self.raise_misuse(operation, MbarrierProblem::NotMade, at)
    }

    /// A barrier lies in shared memory, at a multiple of its size.
    fn check_mbarrier_place(&self, operation: &'static str, address: usize, at: Line) {
        if self.shared.rank_of(address, self.here.get().rank).is_none() {
            self.raise_misuse(operation, MbarrierProblem::NotShared, at);
        }
        if !address.is_multiple_of(BYTES) {
            self.raise_misuse(operation, MbarrierProblem::Misaligned, at);
        }
    }

    fn tell_mbarrier(&self, address: usize, does: MbarrierUse, at: Line) {
        if self.is_watched() {
            let rank = self.shared.rank_of(address, self.here.get().rank).unwrap_or(0);
            let (by, event) = (self.running(), MbarrierEvent { address, rank, does });
            self.tell(|observer| observer.on_mbarrier(&by, &event, at));
        }
    }

    #[cold]
    fn raise_aliased(&self, operation: &'static str, awaited: Awaited, phase: u64, at: Line) -> ! {
        let Awaited::Number(number) = awaited else {
            unreachable!("a parity is that of the current phase or of the one before, never of another")
        };
        self.raise_misuse(operation, MbarrierProblem::Aliased { awaited: number, phase }, at)
    }
}
