//! Sums of a whole grid: last blocks, private histograms, partial results.

use warpsmith::prelude::*;

use crate::suite::cases;

cases! { "reductions.rs";
    last_block_by_fences(4, 64) clean [0] racy [1 2 3 4 5 6];
    last_block_by_ordering(4, 64) clean [0 1] racy [2 3 4 5 6];
    partial_sums(4, 64, cooperative()) clean [0] racy [1 2];
    private_histogram(4, 64) clean [0] racy [1 2 3];
    by_warps_then_block(1, 128) clean [0] racy [1 2];
    one_atomic_a_warp(4, 64) clean [0] racy [1];
    tree_in_global(1, 64) clean [0] racy [1 2];
    matrix_columns(4, 32) clean [0] racy [1];
    reset_by_the_last(4, 64) clean [0 1] racy [2 3 4 5 6];
    reset_by_any_thread(4, 64) clean [0] racy [1 2];
    observed_by_a_load(2, 1, cooperative()) clean [0 1] racy [2 3 4 5];
    observed_before_a_barrier(2, 64, cooperative()) clean [0] racy [1 2];
    maximum_and_place(4, 32) clean [0] racy [1];
}

/// CUDA's sample `threadFenceReduction`.
#[gpu_kernel]
fn last_block_by_fences(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut last = shared!([bool; 1]);
    let (b, t) = (block_idx().x, thread_idx().x);
    x[b * 64 + t] = t; // race
    if how == 6 {
        fence_device();
    }
    if how != 4 && how != 6 {
        sync_threads();
    }
    if t == 0 {
        if how == 3 {
            fence_block();
        } else if how != 1 && how != 6 {
            fence_device();
        }
        last[0] = atomic_inc(&mut y[0], 1000) == 3; // race 5
        if how != 2 {
            fence_device();
        }
    }
    if how != 5 {
        sync_threads();
    }
    let is_last = last[0]; // race 5
    if is_last {
        y[64 + t] = x[t] + x[64 + t] + x[128 + t] + x[192 + t]; // race
    }
}

#[gpu_kernel]
fn last_block_by_ordering(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut last = shared!([bool; 1]);
    let (b, t) = (block_idx().x, thread_idx().x);
    x[b * 64 + t] = t; // race
    sync_threads();
    if t == 0 {
        let before = match how {
            1 => atomic(&mut y[0]).fetch_add(1, Ordering::SeqCst),
            2 => atomic(&mut y[0]).fetch_add(1, Ordering::Relaxed),
            3 => atomic(&mut y[0]).fetch_add(1, Ordering::Release),
            4 => atomic(&mut y[0]).fetch_add(1, Ordering::Acquire),
            5 => atomic_block(&mut y[0]).fetch_add(1, Ordering::AcqRel), // race 5
            6 => atomic_cluster(&mut y[0]).fetch_add(1, Ordering::AcqRel), // race 6
            _ => atomic(&mut y[0]).fetch_add(1, Ordering::AcqRel),
        };
        last[0] = before == 3;
    }
    sync_threads();
    if last[0] {
        y[64 + t] = x[t] + x[64 + t] + x[128 + t] + x[192 + t]; // race
    }
}

#[gpu_kernel]
fn partial_sums(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut sum = shared!([u32; 1]);
    let t = thread_idx().x;
    if t == 0 {
        sum[0] = 0;
    }
    sync_threads();
    atomic_add(&mut sum[0], x[global_id()]);
    sync_threads();
    if t == 0 {
        y[block_idx().x] = sum[0]; // race
    }
    if how == 0 {
        grid_sync();
    }
    if how == 1 {
        sync_threads();
    }
    if global_id() == 0 {
        let total = y[0] + y[1] + y[2] + y[3]; // race
        y[64] = total;
    }
}

#[gpu_kernel]
fn private_histogram(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut bins = shared!([u32; 16]);
    let t = thread_idx().x;
    if t < 16 {
        bins[t] = 0; // race 1
    }
    if how != 1 {
        sync_threads();
    }
    atomic_add(&mut bins[(x[global_id()] + t) % 16], 1); // race 1 2
    if how != 2 {
        sync_threads();
    }
    if t < 16 {
        let count = bins[t]; // race 2
        if how == 3 {
            y[t] += count; // race 3
        } else {
            atomic_add(&mut y[t], count);
        }
    }
}

#[gpu_kernel]
fn by_warps_then_block(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut sums = shared!([u32; 4]);
    let t = thread_idx().x;
    let sum = reduce_add_sync(u32::MAX, x[t]);
    if lane_id() == 0 {
        sums[if how == 2 { 0 } else { warp_id() }] = sum; // race
    }
    if how != 1 {
        sync_threads();
    }
    if t < 4 && how != 2 {
        y[t] = sums[t]; // race
    }
}

#[gpu_kernel]
fn one_atomic_a_warp(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let sum = reduce_add_sync(u32::MAX, x[global_id()]);
    if lane_id() == 0 {
        if how == 0 {
            atomic_add(&mut y[0], sum);
        } else {
            y[0] += sum; // race
        }
    }
}

#[gpu_kernel]
fn tree_in_global(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    let mut half = 32u32;
    while half > 0 {
        if how == 2 || t < half {
            x[t] += x[t + half]; // race
        }
        if how != 1 {
            sync_threads();
        }
        half /= 2;
    }
    if t == 0 {
        y[0] = x[0];
    }
}

#[gpu_kernel]
fn matrix_columns(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let (b, t) = (block_idx().x, thread_idx().x);
    let mut sum = 0;
    for row in 0..8u32 {
        sum += x[(b * 8 + row) * 32 + t];
    }
    if how == 0 {
        atomic_add(&mut y[t], sum);
    } else {
        y[t] += sum; // race
    }
}

/// The last block resets the counter for the next launch: nobody else touches it any more.
/// The last to count resets the counter by a plain store, after every count that it has observed.
#[gpu_kernel]
fn reset_by_the_last(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut last = shared!([bool; 1]);
    let t = thread_idx().x;
    if t == 0 {
        if how == 5 {
            x[1 + block_idx().x] = 7; // race 5
        }
        let before = match how {
            0 => atomic(&mut y[0]).fetch_add(1, Ordering::AcqRel),
            2 => atomic_block(&mut y[0]).fetch_add(1, Ordering::AcqRel), // race 2
            _ => atomic(&mut y[0]).fetch_add(1, Ordering::Relaxed),      // race 3 4 6
        };
        if how == 6 && before == 1 {
            atomic(&mut y[0]).store(2, Ordering::Relaxed);
        }
        last[0] = before == if how == 3 { 2 } else { 3 }; // race 4
        if last[0] && how != 1 && how != 4 {
            y[0] = x[0]; // race 3 6
        }
        if last[0] && how == 5 {
            y[1] = x[1] + x[2] + x[3] + x[4]; // race 5
        }
    }
    if how != 4 {
        sync_threads();
    }
    if t == 32 && (how == 1 || how == 4) {
        let resets = last[0]; // race 4
        if resets {
            y[0] = x[0]; // race 4
        }
    }
}

/// Every thread counts, whichever is the last resets.
#[gpu_kernel]
fn reset_by_any_thread(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut count = shared!([u32; 1]);
    let t = thread_idx().x;
    if t == 0 {
        count[0] = 0;
    }
    sync_threads();
    let n = if how == 1 { block_dim().x - 2 } else { block_dim().x - 1 };
    let before = atomic_add(&mut count[0], 1); // race
    if before == n {
        count[0] = 0; // race
    }
    if atomic_inc(&mut y[0], 1000) == 255 {
        y[0] = x[0];
    }
    if how == 2 && t == 5 {
        count[0] = 1; // race
    }
}

/// A relaxed load that has seen a relaxed store is after it, and so is what its thread does then; nothing else is.
#[gpu_kernel]
fn observed_by_a_load(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let together = any(true);
    if block_idx().x == 0 {
        if how == 3 {
            x[1] = 42; // race 3
        }
        match how {
            4 => atomic_block(&mut x[0]).store(1, Ordering::Relaxed), // race 4
            _ => atomic(&mut x[0]).store(1, Ordering::Relaxed),       // race 2
        }
        if how == 5 {
            atomic(&mut y[8]).store(1, Ordering::Relaxed);
            y[0] = atomic(&mut x[0]).load(Ordering::Relaxed); // race 5
        }
    } else {
        while how != 2 && together && atomic(&mut x[0]).load(Ordering::Relaxed) == 0 {} // race 4
        while how == 5 && together && atomic(&mut y[8]).load(Ordering::Relaxed) == 0 {}
        match how {
            1 => y[0] = x[0],
            3 => y[0] = x[1], // race 3
            _ => x[0] = 2,    // race 2 5
        }
    }
}

/// One waits for the flag; the barrier orders the others of its block after it, and so after the store that it has seen.
#[gpu_kernel]
fn observed_before_a_barrier(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    if block_idx().x == 0 {
        if t < 4 {
            atomic(&mut x[0]).fetch_add(1, Ordering::Relaxed); // race 1
        }
    } else {
        if t == 0 {
            while volatile_load(&x[0]) != 4 {}
        }
        if how != 1 {
            sync_threads();
        }
        y[t] = x[0]; // race 1
        sync_threads();
        if t == 63 {
            if how == 2 {
                atomic(&mut x[0]).fetch_add(1, Ordering::Relaxed); // race 2
            }
            x[0] = 0; // race 2
        }
        if t == 1 && how == 2 {
            x[0] = 3; // race 2
        }
    }
}

#[gpu_kernel]
fn maximum_and_place(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let i = global_id();
    let value = x[i] + (i as u32 * 7) % 64 + 1;
    let before = atomic_max(&mut y[0], value);
    if before < value {
        match how {
            0 => atomic(&mut y[1]).store(i as u32, Ordering::Relaxed),
            _ => y[1] = i as u32, // race
        }
    }
}
