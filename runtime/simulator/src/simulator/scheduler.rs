//! Decides which thread runs next.

use std::any::Any;
use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};

use warpsmith_ir::fault::Failure;

use super::facts::Line;
use super::fault::SimFault;
use super::fiber::{self, Fiber};
use super::hook;
use super::machine::{Here, Machine, Wait, WaitKind};

/// Atomics between two moments at which a thread gives way to others; fewer in the orders that a seed makes.
const ATOMIC_TURN: u64 = 128;

/// Runs all clusters of the machine's launch.
pub(super) fn run(machine: &Machine<'_>) -> Result<(), SimFault> {
    match machine.launch.rendezvous {
        true => run_fibers(machine),
        false => run_loop(machine),
    }
}

/// One thread after the other, on the caller's stack.
fn run_loop(machine: &Machine<'_>) -> Result<(), SimFault> {
    let all = || {
        machine.shape.each_cluster::<Infallible>(|origin| {
            machine.enter_cluster(origin);
            for rank in &machine.shape.block_order {
                machine.run_block(*rank);
            }
            Ok(())
        })
    };
    catch_unwind(AssertUnwindSafe(all)).map(|_| ()).map_err(|payload| machine.fault_of(payload))
}

/// Threads on fibers, cluster after cluster.
fn run_fibers(machine: &Machine<'_>) -> Result<(), SimFault> {
    let mut fibers = Vec::new();
    let all = || {
        machine.shape.each_cluster(|origin| {
            machine.enter_cluster(origin);
            machine.drive(&mut fibers)
        })
    };
    let outcome = catch_unwind(AssertUnwindSafe(all));
    let outcome = outcome.unwrap_or_else(|payload| Err(machine.fault_of(payload)));
    fiber::retire(machine, fibers);
    outcome
}

impl Machine<'_> {
    /// Makes this thread the running one.
    #[inline]
    pub(super) fn enter_thread(&self, rank: u32, linear: u32, fiber: u32) {
        let thread_idx = self.shape.coords[linear as usize];
        let block_idx = self.blocks[rank as usize].idx.get();
        self.here.set(Here { thread_idx, linear, block_idx, rank, fiber });
    }

    fn run_block(&self, rank: u32) {
        for linear in &self.shape.thread_order {
            self.enter_thread(rank, *linear, 0);
            (self.thread)();
            if self.is_watched() {
                self.tell_end();
            }
            self.arena.reset();
            self.counters.threads.update(|n| n + 1);
        }
    }

    /// Runs the current cluster to its end.
    fn drive(&self, fibers: &mut Vec<Fiber>) -> Result<(), SimFault> {
        loop {
            while let Some(number) = self.next_fiber(fibers)? {
                fibers[number as usize].resume(());
                self.look_after_stack(number);
            }
            if !self.answer_lanes() && !self.give_up_waiting() {
                break;
            }
        }
        if self.cluster.live.get() == 0 { Ok(()) } else { Err(self.stalled()) }
    }

    /// Ready fibers first, then threads that have not begun, then those that a copy lets go on, then fibers that spin.
    fn next_fiber(&self, fibers: &mut Vec<Fiber>) -> Result<Option<u32>, SimFault> {
        if let Some(number) = self.queues.ready.borrow_mut().pop_front() {
            return Ok(Some(number));
        }
        if self.queues.next.get().0 == self.shape.cluster_blocks {
            while self.finish_transfer() {
                if let Some(number) = self.queues.ready.borrow_mut().pop_front() {
                    return Ok(Some(number));
                }
            }
            return Ok(self.queues.spinning.borrow_mut().pop_front());
        }
        if let Some(number) = self.queues.idle.borrow_mut().pop() {
            return Ok(Some(number));
        }
        fibers.push(fiber::start(self, fibers.len())?);
        Ok(Some(fibers.len() as u32 - 1))
    }

    /// Counts an atomic; now and then the thread gives way to those that it spins for.
    #[inline]
    pub(super) fn count_atomic(&self, at: Line) {
        let count = self.counters.atomics.get() + 1;
        self.counters.atomics.set(count);
        if count >= self.counters.next_check.get() {
            self.give_way(count, at);
        }
    }

    #[cold]
    fn give_way(&self, count: u64, at: Line) {
        let c = &self.counters;
        c.next_check.set(count + self.shape.turn(count, ATOMIC_TURN));
        let (block, thread) = self.queues.next.get();
        let progress = c.threads.get() + c.barriers.get() + c.exchanges.get() + u64::from(block + thread);
        let (since, seen) = c.progress.get();
        if progress != seen {
            c.progress.set((count, progress));
            c.found.set(count);
        } else if count - since > self.launch.settings.atomic_budget || self.is_stuck(count) {
            self.raise_spinning(at);
        }
        if self.launch.rendezvous && self.others_can_run() {
            self.queues.spinning.borrow_mut().push_back(self.here.get().fiber);
            self.note_wait(WaitKind::Spin, at);
            self.suspend();
        }
    }

    fn others_can_run(&self) -> bool {
        let queues = &self.queues;
        queues.next.get().0 != self.shape.cluster_blocks
            || !queues.ready.borrow().is_empty()
            || !queues.spinning.borrow().is_empty()
    }

    #[cold]
    fn raise_spinning(&self, at: Line) -> ! {
        let Here { rank, linear, .. } = self.here.get();
        let mine = Wait { kind: WaitKind::Spin, at, rank, linear };
        let mut waits = self.waiting();
        waits.retain(|wait| (wait.rank, wait.linear) != (rank, linear));
        waits.push(mine);
        self.raise(self.deadlock(&waits))
    }

    /// A rendezvous needs fibers.
    #[inline]
    pub(super) fn need_fibers(&self, operation: &'static str, at: Line) {
        if !self.launch.rendezvous {
            let (file, line) = (at.file.to_owned(), at.line);
            self.raise(SimFault::Rendezvous { kernel: self.kernel(), operation, file, line });
        }
    }

    /// The fault behind an unwind out of the running thread.
    fn fault_of(&self, payload: Box<dyn Any + Send>) -> SimFault {
        if let Some(fault) = self.fault.take() {
            return fault;
        }
        let here = self.here.get();
        let text = payload
            .downcast_ref::<&str>()
            .map(|s| (*s).to_owned())
            .or_else(|| payload.downcast_ref().cloned());
        let text = text.unwrap_or_else(|| "a panic without a message".to_owned());
        let (message, file, line) = self.panic.take().unwrap_or((text, String::new(), 0));
        let (kernel, block, thread) = (self.kernel(), here.block_idx, here.thread_idx);
        match hook::bounds(&message) {
            Some(Failure::Index { index, len }) => {
                SimFault::OutOfBounds { kernel, file, line, block, thread, index, len: len as usize }
            }
            Some(Failure::Range { bound, limit }) => {
                SimFault::Range { kernel, file, line, block, thread, bound, limit: limit as usize }
            }
            _ => {
                let message = hook::without_values(message);
                SimFault::Panic { kernel, message, file, line, block, thread }
            }
        }
    }
}
