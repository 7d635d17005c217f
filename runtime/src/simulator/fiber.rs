//! Fibers that run simulated threads, on stacks that each OS thread keeps for its next launch.

use std::cell::RefCell;
use std::io;

use corosensei::stack::{DefaultStack, Stack, StackPointer};
use corosensei::{Coroutine, Yielder};

use super::SimFault;
use super::machine::{Here, Machine, Wait, WaitKind};
use super::observer::Line;

/// Stacks that an OS thread keeps.
const POOLED: usize = 2048;

/// The smallest and largest stack, in bytes: enough to unwind, and what an address can hold.
const STACK_BYTES: std::ops::RangeInclusive<usize> = 16 << 10..=1 << 46;

/// Stacks start at this many different offsets, so that not all of their hot ends fall into one
/// set of the first-level cache.
const COLOURS: usize = 16;

/// Distance of two such offsets, in bytes.
const COLOUR: usize = 256;

/// Suspends without a value, is resumed without one.
pub(super) type Fiber = Coroutine<(), (), (), FiberStack>;

thread_local! {
    static POOL: RefCell<Vec<FiberStack>> = const { RefCell::new(Vec::new()) };
}

/// A stack with a guard page.
pub(super) struct FiberStack {
    memory: DefaultStack,
    bytes: usize,
    /// Bytes left unused at its base.
    colour: usize,
}

// SAFETY: the memory's own limits, with the base moved down by less than the `COLOURS * COLOUR`
// bytes that were allocated beyond the size asked for, and by a multiple of any stack alignment.
unsafe impl Stack for FiberStack {
    #[inline]
    fn base(&self) -> StackPointer {
        let base = self.memory.base();
        StackPointer::new(base.get() - self.colour).unwrap_or(base)
    }

    #[inline]
    fn limit(&self) -> StackPointer {
        self.memory.limit()
    }

    #[cfg(windows)]
    fn teb_fields(&self) -> corosensei::stack::StackTebFields {
        self.memory.teb_fields()
    }

    #[cfg(windows)]
    fn update_teb_fields(&mut self, stack_limit: usize, guaranteed_stack_bytes: usize) {
        self.memory.update_teb_fields(stack_limit, guaranteed_stack_bytes);
    }
}

impl FiberStack {
    fn take(bytes: usize, number: usize) -> io::Result<Self> {
        let pooled = POOL.with_borrow_mut(|pool| {
            // A launch with another size has no use for the pool, and the next one neither.
            if pool.last().is_some_and(|stack| stack.bytes != bytes) {
                pool.clear();
            }
            pool.pop()
        });
        if let Some(stack) = pooled {
            return Ok(stack);
        }
        let memory = DefaultStack::new(bytes + COLOURS * COLOUR)?;
        Ok(Self { memory, bytes, colour: number % COLOURS * COLOUR })
    }
}

/// Fiber `number` of the machine, which runs threads of each cluster until the launch ends.
pub(super) fn start(machine: &Machine<'_>, number: usize) -> Result<Fiber, SimFault> {
    let bytes = machine.launch.settings.stack_bytes.clamp(*STACK_BYTES.start(), *STACK_BYTES.end());
    let stack = FiberStack::take(bytes, number).map_err(|e| SimFault::Stack {
        kernel: machine.kernel(),
        bytes,
        count: number,
        reason: e.to_string(),
    })?;
    machine.waits.borrow_mut().push(Wait::NOTHING);
    // SAFETY: the fiber borrows only the machine, and `retire` ends every fiber of a launch before
    // the launch's machine is dropped.
    Ok(unsafe {
        Coroutine::with_stack_unchecked(stack, move |yielder, ()| machine.work(yielder, number as u32))
    })
}

/// Ends all fibers and keeps their stacks.
///
/// Those that still wait, after a fault, are unwound rather than reset: the kernel's frames may
/// hold values with destructors, which a reset would skip.
pub(super) fn retire(machine: &Machine<'_>, fibers: Vec<Fiber>) {
    machine.queues.quit.set(true);
    let idle = machine.queues.idle.take();
    let mut fibers = fibers;
    for number in idle {
        fibers[number as usize].resume(());
    }
    for fiber in &mut fibers {
        fiber.force_unwind();
    }
    let stacks = fibers.into_iter().map(Coroutine::into_stack);
    // While an OS thread ends, its pool may be gone: then the stacks are freed.
    let _ = POOL.try_with(|pool| {
        let mut pool = pool.borrow_mut();
        // Reversed, because stacks are taken from the end: fiber 0 gets the same stack again.
        let mut kept: Vec<_> = stacks.take(POOLED.saturating_sub(pool.len())).collect();
        kept.reverse();
        pool.append(&mut kept);
    });
}

impl Machine<'_> {
    /// The life of a fiber: threads of the cluster while there are any, then idleness.
    fn work(&self, yielder: &Yielder<(), ()>, fiber: u32) {
        loop {
            self.yielder.set(yielder);
            while self.begin_thread(fiber) {
                (self.thread)();
                self.leave();
            }
            self.waits.borrow_mut()[fiber as usize] = Wait::NOTHING;
            self.queues.idle.borrow_mut().push(fiber);
            yielder.suspend(());
            if self.queues.quit.get() {
                return;
            }
        }
    }

    /// Gives the running fiber the next thread of the cluster; `false` if all have begun.
    fn begin_thread(&self, fiber: u32) -> bool {
        let (block, thread) = self.queues.next.get();
        if block == self.shape.cluster_blocks {
            return false;
        }
        let last = thread + 1 == self.shape.threads;
        self.queues.next.set(if last { (block + 1, 0) } else { (block, thread + 1) });
        let rank = self.shape.block_order[block as usize];
        self.enter_thread(rank, self.shape.thread_order[thread as usize], fiber);
        self.unordered.set(false);
        true
    }

    /// Notes where the running fiber is about to wait.
    #[inline]
    pub(super) fn note_wait(&self, kind: WaitKind, at: Line) {
        let Here { rank, linear, fiber, .. } = self.here.get();
        self.waits.borrow_mut()[fiber as usize] = Wait { kind, at, rank, linear };
    }

    /// Suspends the running fiber until the scheduler resumes it.
    ///
    /// Inlined up to the kernel's code: after a switch of stacks the processor mispredicts every
    /// return, and each costs as much as the switch.
    #[inline(always)]
    pub(super) fn suspend(&self) {
        let (here, yielder) = (self.here.get(), self.yielder.get());
        let (instruction, unordered) = (self.instruction.get(), self.unordered.get());
        // SAFETY: `work` set the pointer to the yielder of the running fiber, on whose stack this is;
        // it is restored below, so that it always belongs to the fiber that runs.
        unsafe { &*yielder }.suspend(());
        self.here.set(here);
        self.yielder.set(yielder);
        self.instruction.set(instruction);
        self.unordered.set(unordered);
    }
}
