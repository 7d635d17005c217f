//! Barriers that count, between threads and with copies of their own.

use warpsmith::prelude::*;
use warpsmith::ptx::*;

use super::made;
use crate::suite::cases;

cases! { "handovers.rs";
    handed_over(1, 64) clean [0 4] racy [1 2 3];
    by_token(1, 64) clean [0] racy [1 2];
    own_copies(1, 64) clean [0] racy [1 2];
}

/// A warp hands over to another by a barrier, without the copy engine.
#[gpu_kernel]
fn handed_over(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 32]);
    let full = shared!(Barrier);
    let t = thread_idx().x;
    made(full, if how == 3 { 1 } else { 32 });
    if t < 32 {
        if how == 1 {
            full.arrive();
        }
        row[t] = x[t]; // race
        if how == 4 {
            mbarrier_arrive(full);
        } else if how == 3 {
            if t == 0 {
                full.arrive();
            }
        } else if how != 1 {
            full.arrive();
        }
    } else {
        if how != 2 {
            full.wait_for(Phase::first());
        }
        y[t] = row[63 - t]; // race
    }
}

#[gpu_kernel]
fn by_token(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 64]);
    let met = shared!(Barrier);
    let t = thread_idx().x;
    made(met, 64);
    if how != 2 {
        row[t] = x[t]; // race
    }
    let token = mbarrier_arrive_token(met);
    if how == 2 {
        row[t] = x[t]; // race
    }
    if how != 1 {
        while !mbarrier_try_wait_token(met, token) {}
    }
    y[t] = row[63 - t]; // race
}

/// A thread's own copies arrive at a barrier.
#[gpu_kernel]
fn own_copies(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 64]);
    let full = shared!(Barrier);
    let t = thread_idx().x;
    made(full, 64);
    copy_async(&mut row[t], &x[t]); // race
    if how == 2 {
        full.arrive();
    } else {
        cp_async_mbarrier_arrive(full);
    }
    if how != 1 {
        full.wait_for(Phase::first());
    }
    y[t] = row[63 - t]; // race
}
