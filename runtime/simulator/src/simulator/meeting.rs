//! Meetings beyond the plain barriers: votes of a block, named barriers, the two halves of a cluster's
//! barrier, and the lanes of a warp that happen to be together.

use std::cell::{Cell, RefCell};

use super::facts::{Expected, Line, Meeting, MemoryScope};
use super::machine::{Machine, WaitKind};
use super::problem::BarrierProblem;
use super::shape::WARP;

/// Named barriers of a block, as the hardware numbers them.
pub(super) const NAMED: usize = 16;

/// A barrier with a number, for some of the threads of a block.
#[derive(Default)]
pub(super) struct Named {
    arrived: Cell<u32>,
    /// How many threads those that have arrived wait for.
    threads: Cell<u32>,
    /// Its number for observers.
    number: Cell<u64>,
    waiting: RefCell<Vec<u32>>,
}

/// The barrier of a cluster in two halves.
#[derive(Default)]
pub(super) struct Split {
    arrived: Cell<u32>,
    /// Its number for observers.
    number: Cell<u64>,
    generation: Cell<u32>,
    waiting: RefCell<Vec<u32>>,
}

impl Named {
    /// Forgets who has arrived: the block is another one.
    pub fn reset(&self) {
        self.arrived.set(0);
        self.waiting.borrow_mut().clear();
    }
}

/// Lanes that ask who is with them at one place.
pub(super) struct Together {
    at: Line,
    lanes: Cell<u32>,
    fibers: RefCell<Vec<u32>>,
    answer: Cell<u32>,
}

/// A meeting at which a fiber has arrived and not waited.
pub(super) struct Arrival {
    generation: u32,
    /// Its identity for observers; `None` without observers.
    meeting: Option<Meeting>,
}

impl Machine<'_> {
    /// A barrier of the block at which each thread votes; how many voted yes.
    pub(super) fn block_vote(&self, yes: bool, at: Line) -> u32 {
        let block = self.block();
        block.votes.update(|n| n + u32::from(yes));
        self.block_barrier(at);
        // The last to arrive let the others go on: the first to run after it takes the count.
        if block.voters.get() == 0 {
            block.result.set(block.votes.take());
            block.voters.set(block.live.get());
        }
        block.voters.update(|n| n - 1);
        block.result.get()
    }

    /// A named barrier: waits until `threads` threads have arrived, or only arrives.
    pub(super) fn named_barrier(&self, number: u32, threads: u32, wait: bool, at: Line) {
        self.need_fibers("named_barrier", at);
        let barrier = self.named(number, threads, wait, at);
        let meeting = self.numbered(&barrier.arrived, &barrier.number, |number| Meeting {
            number,
            name: WaitKind::Named.name(),
            of: Expected::Count,
            orders: self.orders(MemoryScope::Block),
            waits: wait,
        });
        if let Some(meeting) = &meeting {
            self.tell_arrival(meeting, at);
        }
        barrier.arrived.update(|n| n + 1);
        if barrier.arrived.get() >= threads {
            barrier.arrived.set(0);
            self.counters.barriers.update(|n| n + 1);
            self.queues.ready.borrow_mut().extend(barrier.waiting.borrow_mut().drain(..));
        } else if wait {
            barrier.waiting.borrow_mut().push(self.here.get().fiber);
            self.note_wait(WaitKind::Named, at);
            self.suspend();
        }
        if let Some(meeting) = meeting.filter(|meeting| meeting.waits) {
            self.tell_departure(&meeting);
        }
    }

    /// The barrier of this number, if it can be used for `threads` threads.
    fn named(&self, number: u32, threads: u32, wait: bool, at: Line) -> &Named {
        let operation = if wait { WaitKind::Named.name() } else { "named_barrier_arrive" };
        let refuse = |problem| self.raise_misuse(operation, problem, at);
        let block = self.shape.threads.next_multiple_of(WARP);
        match self.block().named.get(number as usize) {
            Some(_) if number == 0 => refuse(BarrierProblem::Number { number }),
            None => refuse(BarrierProblem::Number { number }),
            Some(_) if threads == 0 || !threads.is_multiple_of(WARP) => {
                refuse(BarrierProblem::Count { threads })
            }
            Some(_) if threads > block => refuse(BarrierProblem::Beyond { threads, block }),
            Some(barrier) => {
                let others = barrier.threads.replace(threads);
                if barrier.arrived.get() > 0 && others != threads {
                    refuse(BarrierProblem::Differs { threads, others });
                }
                barrier
            }
        }
    }

    /// The meeting that a thread is about to arrive at, if anybody watches; the first gives it a number.
    fn numbered(
        &self,
        arrived: &Cell<u32>,
        number: &Cell<u64>,
        meeting: impl FnOnce(u64) -> Meeting,
    ) -> Option<Meeting> {
        if !self.is_watched() {
            return None;
        }
        if arrived.get() == 0 {
            number.set(self.next_number());
        }
        Some(meeting(number.get()))
    }

    /// The barrier of the cluster in two halves, and the threads that it waits for. A cooperative launch, all of
    /// whose blocks run at once, has clusters of one block.
    fn split(&self) -> (&Split, u32) {
        match self.launch.cooperative {
            true => (&self.block().split, self.block().live.get()),
            false => (&self.cluster.split, self.cluster.live.get()),
        }
    }

    /// It as observers know it.
    fn halves(&self, number: u64) -> Meeting {
        let of = if self.launch.cooperative { Expected::Block } else { Expected::Cluster };
        let (name, orders) = (WaitKind::Halves.name(), self.orders(MemoryScope::Cluster));
        Meeting { number, name, of, orders, waits: true }
    }

    /// The first half of a cluster's barrier; what to give to the second.
    pub(super) fn cluster_arrive(&self, at: Line) -> u32 {
        self.need_fibers("cluster_arrive", at);
        self.check_half("cluster_arrive", at);
        let (split, _) = self.split();
        let meeting = self.numbered(&split.arrived, &split.number, |number| self.halves(number));
        if let Some(meeting) = &meeting {
            self.tell_arrival(meeting, at);
        }
        let generation = split.generation.get();
        split.arrived.update(|n| n + 1);
        self.arrivals.borrow_mut().insert(self.here.get().fiber, Arrival { generation, meeting });
        self.complete_halves();
        generation
    }

    /// A thread may arrive at the barrier of the cluster, of which there is one, if it has waited since it last did.
    pub(super) fn check_half(&self, operation: &'static str, at: Line) {
        if self.arrivals.borrow().contains_key(&self.here.get().fiber) {
            self.raise_misuse(operation, BarrierProblem::ArrivedTwice, at);
        }
    }

    /// The running thread returns from the kernel: the second half waits for those that are left.
    pub(super) fn leave_halves(&self, fiber: u32) {
        let (split, _) = self.split();
        if !self.arrivals.borrow().is_empty()
            && let Some(Arrival { generation, .. }) = self.arrivals.borrow_mut().remove(&fiber)
            && generation == split.generation.get()
        {
            split.arrived.update(|n| n - 1);
        }
        self.complete_halves();
    }

    /// Lets those go on that wait for the second half, if all that are left have arrived.
    fn complete_halves(&self) {
        let (split, left) = self.split();
        let arrived = split.arrived.get();
        if arrived == 0 || arrived != left {
            return;
        }
        split.arrived.set(0);
        split.generation.update(|generation| generation.wrapping_add(1));
        self.counters.barriers.update(|n| n + 1);
        self.queues.ready.borrow_mut().extend(split.waiting.borrow_mut().drain(..));
    }

    /// The second half of a cluster's barrier.
    pub(super) fn cluster_wait(&self, at: Line) {
        self.need_fibers("cluster_wait", at);
        let fiber = self.here.get().fiber;
        let Some(Arrival { generation, meeting }) = self.arrivals.borrow_mut().remove(&fiber) else {
            self.raise_misuse("cluster_wait", BarrierProblem::NotArrived, at);
        };
        let (split, _) = self.split();
        if split.generation.get() == generation {
            split.waiting.borrow_mut().push(fiber);
            self.note_wait(WaitKind::Halves, at);
            self.suspend();
        }
        if let Some(meeting) = meeting {
            let orders = meeting.orders.and_then(|scope| self.orders(scope));
            self.tell_departure(&Meeting { orders, ..meeting });
        }
    }

    /// The lanes of the warp that are together at this place: all that come before nothing else can run.
    pub(super) fn active_lanes(&self, at: Line) -> u32 {
        self.need_fibers("active_mask", at);
        let here = self.here.get();
        let warp = &self.block().warps[(here.linear / WARP) as usize];
        let known = warp.together.borrow().iter().find(|t| t.at == at).cloned();
        let meeting = known.unwrap_or_else(|| {
            let new = std::rc::Rc::new(Together {
                at,
                lanes: Cell::new(0),
                fibers: RefCell::default(),
                answer: Cell::new(0),
            });
            warp.together.borrow_mut().push(new.clone());
            new
        });
        meeting.lanes.update(|lanes| lanes | 1 << (here.linear % WARP));
        if meeting.lanes.get() == warp.present() {
            meeting.answer.set(meeting.lanes.get());
            self.queues.ready.borrow_mut().append(&mut meeting.fibers.take().into());
            warp.together.borrow_mut().retain(|t| !std::rc::Rc::ptr_eq(t, &meeting));
        } else {
            meeting.fibers.borrow_mut().push(here.fiber);
            self.note_wait(WaitKind::Together, at);
            self.suspend();
        }
        meeting.answer.get()
    }

    /// Answers the lanes that ask who is with them, once nothing else can run; whether there were any.
    #[cold]
    pub(super) fn answer_lanes(&self) -> bool {
        let mut any = false;
        for warp in self.blocks.iter().flat_map(|block| &block.warps) {
            for meeting in warp.together.take() {
                meeting.answer.set(meeting.lanes.get());
                self.queues.ready.borrow_mut().append(&mut meeting.fibers.take().into());
                any = true;
            }
        }
        any
    }
}
