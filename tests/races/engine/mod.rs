//! The copy engine: barriers that count its bytes, stores of threads that are visible to it, and memory that it still
//! reads.
//!
//! The cases are mistakes that kernels with bulk copies have made: a missing fence between the proxies, or one on the wrong
//! side; a place that is filled before its wait, or filled again before all threads have read it; a source that is written
//! too early.

mod boxes;
mod clusters;
mod handovers;
mod loads;
mod products;
mod rings;
mod stores;

use warpsmith::prelude::*;
use warpsmith::ptx::*;

use crate::suite::Case;

pub fn cases() -> Vec<Case> {
    [
        boxes::cases(),
        clusters::cases(),
        handovers::cases(),
        loads::cases(),
        products::cases(),
        rings::cases(),
        stores::cases(),
    ]
    .concat()
}

/// Initialises a barrier for `count` arrivals a phase, and lets all threads of the block meet.
#[gpu_fn]
fn made(barrier: &Barrier, count: u32) {
    if thread_idx().x == 0 {
        barrier.init(count);
        fence_mbarrier_init();
    }
    sync_threads();
}
