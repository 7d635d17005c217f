//! Fibers that run simulated threads, on stacks that each OS thread keeps for its next launch.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;

use corosensei::stack::{DefaultStack, Stack, StackPointer};
use corosensei::{Coroutine, Yielder};

use super::SimFault;
use super::facts::Line;
use super::machine::{Here, Machine, Wait, WaitKind};

/// Stacks that an OS thread keeps.
const POOLED: usize = 2048;

/// The smallest and largest stack, in bytes: enough to unwind, and what an address can hold.
const STACK_BYTES: std::ops::RangeInclusive<usize> = 16 << 10..=1 << 46;

/// Stacks start at this many different offsets, so their hot ends are spread over the
/// sets of the first-level cache.
const COLOURS: usize = 16;

/// Distance of two such offsets, in bytes.
const COLOUR: usize = 256;

/// Suspends without a value, is resumed without one.
pub(super) type Fiber = Coroutine<(), (), (), FiberStack>;

thread_local! {
    static POOL: RefCell<Pool> = const { RefCell::new(Pool { guarded: Vec::new(), shared: Vec::new() }) };
}

/// Stacks with a guard page each that an OS thread has: two mappings each, of which Linux allows a process 65,530.
const GUARDED: usize = 8192;

/// Stacks beyond those lie side by side: this many in one mapping.
const SIDE_BY_SIDE: usize = 256;

/// These bytes lie below a stack without a guard page; only an overrun changes them.
const SENTINEL: [u8; 64] = [0xa5; 64];

/// A stack: one with a guard page, or one of many in a mapping, with sentinel bytes at its end.
pub(super) struct FiberStack {
    memory: Rc<DefaultStack>,
    bytes: usize,
    /// Bytes of the memory above its base.
    above: usize,
    /// Whether others lie beside it.
    shares: bool,
}

// SAFETY: a part of the memory, with a base that is moved down by a multiple of any stack alignment and stays above the
// limit, as `bytes` are allocated for each stack beside what is left unused. An overrun meets the guard page of a stack
// that is alone; of the others the scheduler looks after each turn whether the sentinels stand, and ends the process if
// not.
unsafe impl Stack for FiberStack {
    #[inline]
    fn base(&self) -> StackPointer {
        let base = self.memory.base();
        StackPointer::new(base.get() - self.above).unwrap_or(base)
    }

    #[inline]
    fn limit(&self) -> StackPointer {
        let own = StackPointer::new(self.base().get() - self.bytes);
        own.filter(|_| self.shares).unwrap_or(self.memory.limit())
    }

    #[cfg(windows)]
    fn teb_fields(&self) -> corosensei::stack::StackTebFields {
        self.memory.teb_fields()
    }

    #[cfg(windows)]
    fn update_teb_fields(&mut self, stack_limit: usize, guaranteed_stack_bytes: usize) {
        if let Some(memory) = Rc::get_mut(&mut self.memory) {
            memory.update_teb_fields(stack_limit, guaranteed_stack_bytes);
        }
    }
}

/// Stacks that are free.
#[derive(Default)]
struct Pool {
    /// With a guard page, all of one size.
    guarded: Vec<FiberStack>,
    /// Side by side with others, of the launch that runs.
    shared: Vec<FiberStack>,
}

impl FiberStack {
    fn take(bytes: usize, number: usize) -> io::Result<Self> {
        POOL.with_borrow_mut(|pool| {
            // A launch with another size has no use for the pool, and the next one neither.
            if pool.guarded.last().is_some_and(|stack| stack.bytes != bytes) {
                pool.guarded.clear();
            }
            if let Some(stack) = pool.guarded.pop() {
                return Ok(stack);
            }
            match (number < GUARDED || cfg!(windows)).then(|| Self::guarded(bytes, number)) {
                Some(Ok(stack)) => Ok(stack),
                Some(Err(error)) if cfg!(windows) => Err(error),
                _ => pool.take_shared(bytes),
            }
        })
    }

    fn guarded(bytes: usize, number: usize) -> io::Result<Self> {
        let memory = DefaultStack::new(bytes.saturating_add(COLOURS * COLOUR))?;
        Ok(Self { memory: Rc::new(memory), bytes, above: colour(number), shares: false })
    }

    /// The address of its sentinels, if it needs any.
    fn sentinel(&self) -> Option<*mut [u8; SENTINEL.len()]> {
        self.shares.then(|| std::ptr::with_exposed_provenance_mut(self.limit().get()))
    }
}

impl Pool {
    /// A stack beside others.
    fn take_shared(&mut self, bytes: usize) -> io::Result<FiberStack> {
        let bytes = bytes.next_multiple_of(16);
        if self.shared.last().is_some_and(|stack| stack.bytes != bytes) {
            self.shared.clear();
        }
        if self.shared.is_empty() {
            let each = bytes.checked_add(COLOURS * COLOUR).ok_or(io::ErrorKind::OutOfMemory)?;
            let all = each.checked_mul(SIDE_BY_SIDE).ok_or(io::ErrorKind::OutOfMemory)?;
            let memory = Rc::new(DefaultStack::new(all)?);
            self.shared.extend((0..SIDE_BY_SIDE).rev().map(|i| FiberStack {
                memory: memory.clone(),
                bytes,
                above: i * each + colour(i),
                shares: true,
            }));
        }
        self.shared.pop().ok_or_else(|| io::ErrorKind::OutOfMemory.into())
    }

    fn keep(&mut self, stacks: impl Iterator<Item = FiberStack>) {
        // Reversed, because stacks are taken from the end: fiber 0 gets the same stack again.
        let mut kept: Vec<_> =
            stacks.filter(|stack| !stack.shares).take(POOLED.saturating_sub(self.guarded.len())).collect();
        kept.reverse();
        self.guarded.append(&mut kept);
        self.shared.clear();
    }
}

fn colour(number: usize) -> usize {
    number % COLOURS * COLOUR
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
    if let Some(place) = stack.sentinel() {
        // SAFETY: the lowest bytes of the stack, which nothing uses yet.
        unsafe { place.write(SENTINEL) };
        machine.sentinels.borrow_mut().insert(number as u32, place);
    }
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
    let _ = POOL.try_with(|pool| pool.borrow_mut().keep(stacks));
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

    /// Ends the process if a fiber that has run overran a stack that has no guard page: what lies below is another's.
    #[inline]
    pub(super) fn look_after_stack(&self, fiber: u32) {
        let sentinels = self.sentinels.borrow();
        if sentinels.is_empty() {
            return;
        }
        // SAFETY: bytes of the fiber's stack, which lives as long as the launch.
        if sentinels.get(&fiber).is_some_and(|place| unsafe { place.read_volatile() } != SENTINEL) {
            let (kernel, kib) = (self.launch.kernel, self.launch.settings.stack_bytes >> 10);
            eprintln!(
                "warpsmith: a simulated thread of kernel `{kernel}` overran its stack of {kib} KiB; set a larger `WARPSMITH_SIM_STACK`"
            );
            std::process::abort();
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
        // it is restored below, so it always belongs to the fiber that runs.
        unsafe { &*yielder }.suspend(());
        self.here.set(here);
        self.yielder.set(yielder);
        self.instruction.set(instruction);
        self.unordered.set(unordered);
    }
}
