//! The copy engine: barriers that count its bytes, what it may see of threads' stores, and what it still reads.
//!
//! Seeded from what kernels with bulk copies have got wrong: a missing fence between the proxies, or one on the wrong side;
//! a place that is filled before its wait, or filled again before all have read it; a source that is written too early.

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

/// One thread makes a barrier for `count` arrivals a phase, and all threads of the block meet.
#[gpu_fn]
fn made(barrier: &Barrier, count: u32) {
    if thread_idx().x == 0 {
        barrier.init(count);
        fence_mbarrier_init();
    }
    sync_threads();
}
