//! Loads by the copy engine: when it may write shared memory, and when threads may read it.

use warpsmith::prelude::*;
use warpsmith::ptx::*;

use super::made;
use crate::suite::cases;

cases! { "loads.rs";
    loaded(1, 64) clean [0 4] racy [1 2 3];
    two_places(1, 64) clean [0] racy [1 2 3 4];
    filled_again(1, 64) clean [0 3] racy [1 2];
    producer_warp(1, 96) clean [0] racy [1 2 3];
    read_by_lanes(1, 32) clean [0] racy [1 2];
    written_and_loaded(1, 32) clean [0] racy [1 2];
    written_meanwhile(1, 64) clean [0] racy [1 2];
    made_before(1, 64) clean [0] racy [1];
}

#[gpu_kernel]
fn loaded(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 64], align = 16);
    let full = shared!([Barrier; 1]);
    let t = thread_idx().x;
    if t == 0 {
        mbarrier_init(&full[0], 1); // race 1
        if how != 1 {
            fence_mbarrier_init();
        }
    }
    sync_threads();
    if t == 0 {
        mbarrier_arrive_expect_tx(&full[0], 256);
        bulk_load(&mut row, &x[0..64], &full[0]); // race
    }
    if how != 2 && (how < 3 || t == 0) {
        mbarrier_wait(&full[0], 0);
    }
    if how == 4 {
        sync_threads();
    }
    y[t] = row[63 - t]; // race 2 3
}

/// Two places with a barrier each.
#[gpu_kernel]
fn two_places(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut rows = shared!([[u32; 64]; 2], align = 16);
    let full = shared!([Barrier; 2]);
    let t = thread_idx().x;
    made(&full[0], 1);
    made(&full[1], 1);
    if t == 0 {
        mbarrier_arrive_expect_tx(&full[0], 256);
        bulk_load(&mut rows[0], &x[0..64], &full[0]); // race 2 4
        mbarrier_arrive_expect_tx(&full[1], 256);
        bulk_load(&mut rows[if how == 4 { 0 } else { 1 }], &x[64..128], &full[1]); // race 1 3 4
        if how == 4 {
            bulk_load(&mut rows[0], &x[128..192], &full[1]); // race 4
        }
    }
    if how != 2 {
        mbarrier_wait(&full[0], 0);
    }
    if how == 3 {
        y[t] = rows[1][t]; // race 3
    }
    if how != 1 {
        mbarrier_wait(&full[1], 0);
    }
    y[64 + t] = rows[0][t] + rows[1][63 - t]; // race 1 2
}

/// One place is filled twice, after all have read it.
#[gpu_kernel]
fn filled_again(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 64], align = 16);
    let full = shared!(Barrier);
    let t = thread_idx().x;
    made(full, 1);
    let mut phase = Phase::first();
    for k in 0..2u32 {
        if t == 0 {
            full.load(&mut row, &x[k as usize * 64..k as usize * 64 + 64]); // race
            full.arrive();
        }
        full.wait(&mut phase);
        y[k * 64 + t] = row[63 - t]; // race
        if how == 0 || how == 2 && t < 32 {
            fence_proxy_async();
        }
        sync_threads();
        if how == 3 && t == 0 {
            fence_proxy_async();
        }
    }
}

/// A warp fills two places in turn after the other warps have emptied them.
#[gpu_kernel]
fn producer_warp(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut rows = shared!([[u32; 64]; 2], align = 16);
    let full = shared!([Barrier; 2]);
    let empty = shared!([Barrier; 2]);
    let t = thread_idx().x;
    if t == 0 {
        for i in 0..2usize {
            full[i].init(1);
            empty[i].init(64);
        }
        fence_mbarrier_init();
    }
    sync_threads();
    if t == 64 {
        for k in 0..6usize {
            let place = k % 2;
            if how != 1 {
                mbarrier_wait(&empty[place], (k as u32 / 2 + 1) % 2);
            }
            full[place].load(&mut rows[place], &x[k * 64..k * 64 + 64]); // race
            full[place].arrive();
        }
    }
    if t < 64 {
        for k in 0..6usize {
            let place = k % 2;
            if how == 3 {
                y[k * 64 + t as usize] = rows[place][t]; // race 3
            }
            mbarrier_wait(&full[place], k as u32 / 2 % 2);
            if how == 2 {
                empty[place].arrive();
            }
            y[k * 64 + t as usize] = rows[place][63 - t]; // race
            if how != 2 {
                empty[place].arrive();
            }
        }
    }
}

/// Lanes read and meet, and one of them fills the place again. Meeting orders their loads for threads only, not for the
/// copy engine.
#[gpu_kernel]
fn read_by_lanes(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 32], align = 16);
    let full = shared!(Barrier);
    let t = thread_idx().x;
    row[t] = t; // race 1
    if t == 0 {
        full.init(1);
        fence_mbarrier_init();
    }
    if how == 2 {
        fence_proxy_async();
    }
    sync_warp();
    y[t] = row[31 - t]; // race
    if how == 0 {
        fence_proxy_async();
    }
    sync_warp();
    if t == 0 {
        full.load(&mut row, &x[0..32]); // race
        full.arrive();
    }
    full.wait_for(Phase::first());
    y[32 + t] = row[t];
}

/// Loads global memory that the same launch has written.
#[gpu_kernel]
fn written_and_loaded(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 32], align = 16);
    let full = shared!(Barrier);
    let t = thread_idx().x;
    if t == 0 {
        full.init(1);
        fence_mbarrier_init();
    }
    x[t] = t; // race
    if how == 0 {
        fence_proxy_async_global();
    }
    if how == 2 {
        fence_proxy_async();
    }
    sync_threads();
    if t == 0 {
        full.load(&mut row, &x[0..32]); // race
        full.arrive();
    }
    full.wait_for(Phase::first());
    y[t] = row[31 - t];
}

/// Writes a place, or a source, while it is copied.
#[gpu_kernel]
fn written_meanwhile(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 64], align = 16);
    let full = shared!(Barrier);
    let t = thread_idx().x;
    made(full, 1);
    if t == 0 {
        full.load(&mut row, &x[0..64]); // race
        full.arrive();
    }
    if how == 1 {
        row[t] = 7; // race 1
    }
    if how == 2 {
        x[t] = 7; // race 2
    }
    full.wait_for(Phase::first());
    if how == 0 {
        x[t] = 7;
    }
    y[t] = row[63 - t];
}

/// A thread initialises a barrier, and another one uses it without having met the first one since.
#[gpu_kernel]
fn made_before(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let full = shared!([Barrier; 1]);
    let t = thread_idx().x;
    if t == 0 {
        mbarrier_init(&full[0], 1); // race
        atomic(&mut x[0]).store(1, if how == 1 { Ordering::Relaxed } else { Ordering::Release });
    }
    if t == 32 {
        while atomic(&mut x[0]).load(Ordering::Acquire) == 0 {}
        mbarrier_arrive(&full[0]); // race
    }
    y[t] = 1;
}
