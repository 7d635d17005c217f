//! Descriptors that simulated threads make while they run: parts of slices.
//!
//! They are kept until no thread that could name them is left: the end of a thread in a plain loop,
//! the end of a cluster on fibers.

use std::cell::{Cell, RefCell};
use std::mem::MaybeUninit;

/// A pointer and up to two extents.
type Entry = [usize; 3];

/// Descriptors of one piece of memory.
const CHUNK: usize = 4096;

/// Memory for descriptors, whose addresses never change.
#[derive(Default)]
pub(super) struct Arena {
    chunks: RefCell<Vec<Box<[MaybeUninit<Entry>]>>>,
    used: Cell<usize>,
}

impl Arena {
    /// Memory for one descriptor.
    pub fn take(&self) -> *mut u8 {
        let (chunk, place) = (self.used.get() / CHUNK, self.used.get() % CHUNK);
        let mut chunks = self.chunks.borrow_mut();
        if chunk == chunks.len() {
            // A chunk is as large as a fiber's stack, where a boxed array would be built first.
            chunks.push(Box::new_uninit_slice(CHUNK));
        }
        self.used.set(self.used.get() + 1);
        chunks[chunk][place].as_mut_ptr().cast()
    }

    /// Takes all descriptors back.
    pub fn reset(&self) {
        self.used.set(0);
    }
}
