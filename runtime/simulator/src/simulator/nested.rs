//! Launches of kernels by kernels: queued by the threads of a grid, run once the grid has ended.
//!
//! A legal order, and always the same: the launches of a grid run in the order in which its threads made
//! them, each together with all that it launches itself, and tail launches after all others.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::SimFault;
use super::facts::{Child, ChildOrder, Line};
use super::machine::Machine;
use warpsmith_ir::fault::{nested_too_deep, too_many_wait};
use warpsmith_ir::limits::NESTED_LAUNCHES;

/// Launches that may wait at once; the default.
///
/// Source: CUDA Programming Guide, `cudaLimitDevRuntimePendingLaunchCount`.
const PENDING_LIMIT: usize = 2048;

static PENDING: AtomicUsize = AtomicUsize::new(PENDING_LIMIT);

/// Sets how many launches may wait at once.
#[doc(hidden)]
pub fn set_pending_limit(launches: usize) {
    PENDING.store(launches, Ordering::Relaxed);
}

/// Where a grid stands in the tree of launches.
#[derive(Clone, Copy)]
pub(super) struct Nesting<'a> {
    depth: u32,
    /// Launches of the whole tree that have not ended.
    pending: &'a Cell<usize>,
    /// Numbers given to launches of the whole tree.
    numbers: &'a Cell<u64>,
}

impl<'a> Nesting<'a> {
    /// The nesting of a grid that the host launches.
    pub fn outermost(pending: &'a Cell<usize>, numbers: &'a Cell<u64>) -> Self {
        Self { depth: 0, pending, numbers }
    }

    /// The nesting of a grid that a thread of this one has launched.
    pub fn inner(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }

    /// A grid of the tree has ended.
    pub fn end(self) {
        self.pending.update(|pending| pending - 1);
    }
}

impl Machine<'_> {
    /// Queues a launch of the running thread.
    pub(super) fn launch_child(&self, mut child: Child, at: Line) {
        let pending = self.nesting.pending.get() + 1;
        let limit = PENDING.load(Ordering::Relaxed);
        if self.nesting.depth == NESTED_LAUNCHES {
            self.raise_launch(child.kernel, nested_too_deep(), at);
        }
        if pending > limit {
            self.raise_launch(child.kernel, too_many_wait(Some(limit)), at);
        }
        self.nesting.pending.set(pending);
        if self.is_watched() {
            let (by, numbers) = (self.running(), self.nesting.numbers);
            numbers.update(|n| n + 1);
            child.number = numbers.get();
            self.notify(|observer| observer.on_child(&by, child.number, child.order));
        }
        self.children.borrow_mut().push(child);
    }

    /// Raises [`SimFault::Launch`] for the current thread.
    #[cold]
    pub(super) fn raise_launch(&self, child: &str, why: String, at: Line) -> ! {
        let (file, line, here) = (at.file.to_owned(), at.line, self.here.get());
        let (block, thread) = (here.block_idx, here.thread_idx);
        self.raise(SimFault::Launch {
            kernel: self.kernel(),
            child: child.to_owned(),
            why,
            file,
            line,
            block,
            thread,
        })
    }
}

/// Tail launches last, else as they were made.
pub(super) fn in_order(mut children: Vec<Child>) -> Vec<Child> {
    children.sort_by_key(|child| child.order == ChildOrder::Tail);
    children
}
