//! Ends a launch with a fault, from within a simulated thread.

use std::panic::resume_unwind;

use super::facts::Line;
use super::fault::SimFault;
use super::machine::Machine;
use super::problem::{MaskProblem, Misuse};
use super::shape::WARP;

/// Where a thread is when it faults, as faults say it.
#[doc(hidden)]
pub struct FaultSite {
    pub kernel: String,
    pub file: String,
    pub line: u32,
    pub block: [u32; 3],
    pub thread: [u32; 3],
}

/// The payload of an unwind that carries no message: the fault lies in the machine.
pub(super) struct Raised;

impl Machine<'_> {
    /// Ends the launch with this fault, from within a simulated thread.
    #[cold]
    pub(super) fn raise(&self, fault: SimFault) -> ! {
        *self.fault.borrow_mut() = Some(fault);
        // Unlike `panic!`, this runs no panic hook.
        resume_unwind(Box::new(Raised))
    }

    /// The kernel's name, for faults.
    pub(super) fn kernel(&self) -> String {
        self.launch.kernel.to_owned()
    }

    /// Where the current thread is.
    pub(super) fn fault_place(&self, at: Line) -> FaultSite {
        let here = self.here.get();
        let (block, thread) = (here.block_idx, here.thread_idx);
        FaultSite { kernel: self.kernel(), file: at.file.to_owned(), line: at.line, block, thread }
    }

    /// Raises [`SimFault::OutOfBounds`] for the current thread.
    #[cold]
    pub(super) fn raise_bounds(&self, index: i64, len: usize, at: Line) -> ! {
        let (file, line) = (at.file.to_owned(), at.line);
        let here = self.here.get();
        let (block, thread) = (here.block_idx, here.thread_idx);
        self.raise(SimFault::OutOfBounds { kernel: self.kernel(), file, line, block, thread, index, len })
    }

    /// Raises [`SimFault::Range`] for the current thread.
    #[cold]
    pub(super) fn raise_range(&self, bound: i64, limit: usize, at: Line) -> ! {
        let FaultSite { kernel, file, line, block, thread } = self.fault_place(at);
        self.raise(SimFault::Range { kernel, file, line, block, thread, bound, limit })
    }

    /// Raises [`SimFault::Misuse`] for the current thread.
    #[cold]
    pub(super) fn raise_misuse(&self, operation: &'static str, problem: impl Into<Misuse>, at: Line) -> ! {
        let FaultSite { kernel, file, line, block, thread } = self.fault_place(at);
        let problem = Box::new(problem.into());
        self.raise(SimFault::Misuse { kernel, operation, file, line, block, thread, problem })
    }

    /// Raises [`SimFault::ShuffleMask`] for the lane `lane` of the current warp.
    #[cold]
    pub(super) fn raise_mask(
        &self,
        lane: u32,
        operation: &'static str,
        mask: u32,
        at: Line,
        problem: MaskProblem,
    ) -> ! {
        let (file, line, here) = (at.file.to_owned(), at.line, self.here.get());
        let thread = self.shape.coords[(here.linear / WARP * WARP + lane) as usize];
        let (block, kernel) = (here.block_idx, self.kernel());
        self.raise(SimFault::ShuffleMask { kernel, operation, mask, file, line, block, thread, problem })
    }
}
