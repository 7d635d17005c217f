//! Finds accesses at addresses that their type does not allow.

use std::cell::RefCell;

use crate::simulator::{Access, Interests, Observer, SimFault, SimLaunch, Thread, memory_name};

/// Ends a launch with [`SimFault::Misaligned`] at the first access that a GPU would refuse.
///
/// One observer may watch any number of launches, one after the other.
///
/// Source: CUDA C++ Programming Guide, size and alignment requirement.
#[derive(Default)]
pub struct Alignment {
    kernel: RefCell<String>,
}

impl Alignment {
    /// A check that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Observer for Alignment {
    fn interests(&self) -> Interests {
        Interests { accesses: true, ..Interests::default() }
    }

    fn on_launch(&self, launch: &SimLaunch<'_>) {
        launch.kernel.clone_into(&mut self.kernel.borrow_mut());
    }

    fn on_access(&self, by: &Thread, access: &Access) -> Result<(), SimFault> {
        // Alignments are powers of two.
        if access.address & (access.align.max(1) as usize - 1) == 0 {
            return Ok(());
        }
        Err(SimFault::Misaligned {
            kernel: self.kernel.borrow().clone(),
            memory: memory_name(access.space),
            bytes: access.bytes,
            align: access.align,
            beyond: (access.address % access.align as usize) as u32,
            file: access.by.at.file.to_owned(),
            line: access.by.at.line,
            block: by.block_idx,
            thread: by.thread_idx,
        })
    }

    fn on_copy_start(&self, by: &Thread, _copy: u64, from: &Access, to: &Access) -> Result<(), SimFault> {
        self.on_access(by, from)?;
        self.on_access(by, to)
    }
}
