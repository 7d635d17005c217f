//! Functions that refer to shared memory, and wait for other threads which write it.

use warpsmith::prelude::*;

/// A count in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
pub struct Turns {
    /// The count.
    pub count: u32,
    /// The thread that counts.
    pub who: u32,
}

#[gpu_fn]
fn turn() {
    sync_threads();
}

#[gpu_impl]
impl Turns {
    /// One thread counts once; the count afterwards.
    pub fn counted(&mut self) -> u32 {
        let before = self.count;
        turn();
        if thread_idx().x == self.who {
            self.count = before + 1;
        }
        turn();
        self.count
    }
}

/// One thread adds to a number; the number afterwards.
#[gpu_fn]
pub fn added(count: &mut u32, who: u32) -> u32 {
    let before = *count;
    turn();
    if thread_idx().x == who {
        *count = before + 10;
    }
    turn();
    *count
}

/// The same of two numbers, of which the second may be missing.
#[gpu_fn]
pub fn added_to_both((a, b): (&mut u32, Option<&mut u32>)) -> u32 {
    let Some(b) = b else { return *a };
    let before = *a + *b;
    turn();
    if thread_idx().x == 1 {
        *a = before + 100;
        *b += 1000;
    }
    turn();
    *a + *b
}
