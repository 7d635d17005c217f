//! Stores by the copy engine: stores of threads that are visible to it, and memory that it still reads.

use warpsmith::prelude::*;
use warpsmith::ptx::*;

use crate::suite::cases;

cases! { "stores.rs";
    stored(1, 64) clean [0 4] racy [1 2 3 5];
    source_rewritten(1, 64) clean [0 4] racy [1 2 3];
    stored_and_read(1, 64) clean [0] racy [1 2];
    two_groups(1, 32) clean [0] racy [1 2];
}

#[gpu_kernel]
fn stored(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 64], align = 16);
    let t = thread_idx().x;
    if how == 2 {
        fence_proxy_async();
    }
    row[t] = x[t]; // race
    if how == 0 || how == 3 {
        fence_proxy_async();
    }
    if how == 5 {
        fence_proxy_async_global();
    }
    if how != 3 {
        sync_threads();
    }
    // In the thread that starts the copy, the fence may also follow the barrier.
    if how == 4 && t == 0 {
        fence_proxy_async();
    }
    if t == 0 {
        bulk_store(&mut y[0..64], &row); // race
        bulk_commit();
        bulk_wait_read::<0>();
    }
}

#[gpu_kernel]
fn source_rewritten(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 64], align = 16);
    let t = thread_idx().x;
    row[t] = x[t];
    fence_proxy_async();
    sync_threads();
    if t == 0 {
        bulk_store(&mut y[0..64], &row); // race
        bulk_commit();
        if how == 2 {
            bulk_wait_read::<1>();
        } else if how == 4 {
            bulk_wait::<0>();
        } else if how != 1 {
            bulk_wait_read::<0>();
        }
    }
    if how != 3 {
        sync_threads();
    }
    row[t] = 5; // race
    sync_threads();
    if how != 0 && t == 0 {
        bulk_wait::<0>();
    }
}

/// Reads the stored data again from global memory.
#[gpu_kernel]
fn stored_and_read(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut row = shared!([u32; 64], align = 16);
    let t = thread_idx().x;
    row[t] = t;
    fence_proxy_async();
    sync_threads();
    if t == 0 {
        bulk_store(&mut y[0..64], &row); // race
        bulk_commit();
        if how == 1 {
            bulk_wait_read::<0>();
        } else {
            bulk_wait::<0>();
        }
    }
    if how != 2 {
        sync_threads();
    }
    x[t] = y[63 - t]; // race
}

/// Two buffers that are stored in turn.
#[gpu_kernel]
fn two_groups(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut rows = shared!([[u32; 32]; 2], align = 16);
    let t = thread_idx().x;
    for k in 0..4usize {
        if t == 0 {
            if how == 1 {
                bulk_wait_read::<2>();
            } else {
                bulk_wait_read::<1>();
            }
        }
        if how != 2 {
            sync_warp();
        }
        rows[k % 2][t] = x[k * 32 + t as usize]; // race
        fence_proxy_async();
        sync_warp();
        if t == 0 {
            bulk_store(&mut y[k * 32..k * 32 + 32], &rows[k % 2]); // race
            bulk_commit();
        }
    }
    if t == 0 {
        bulk_wait_read::<0>();
    }
}
