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
    reset_by_the_last(4, 64) clean [0] racy [1];
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
    if last[0] {
        // race 5
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
#[gpu_kernel]
fn reset_by_the_last(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    if thread_idx().x == 0 {
        let before = match how {
            0 => atomic(&mut y[0]).fetch_add(1, Ordering::AcqRel),
            _ => atomic(&mut y[0]).fetch_add(1, Ordering::Relaxed), // race
        };
        if before == 3 {
            y[0] = x[0]; // race
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
