//! Scopes that are too narrow, by memory and by distance.

use warpsmith::prelude::*;

use crate::suite::cases;

cases! { "scopes.rs";
    counter_in_global(2, 32) clean [0 1] racy [2 3];
    counter_in_cluster(4, 32, cluster(2)) clean [0 1] racy [2 3];
    counter_in_shared(2, 64) clean [0 1 2] racy [3];
    every_operation(2, 32) clean [0 1 2 3 4] racy [5 6 7 8 9];
    one_side_is_narrow(2, 32) clean [0] racy [1 2];
    fence_of_a_cluster(4, 1, cluster(2)) clean [0 1] racy [2 3];
    release_in_a_cluster(4, 1, cluster(2)) clean [0 1] racy [2 3];
    cumulative(2, 64, cooperative()) clean [0] racy [1 2];
}

#[gpu_kernel]
fn counter_in_global(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let value = x[global_id()];
    match how {
        0 => atomic(&mut y[0]).fetch_add(value, Ordering::Relaxed),
        1 => atomic_system(&mut y[0]).fetch_add(value, Ordering::Relaxed),
        2 => atomic_block(&mut y[0]).fetch_add(value, Ordering::Relaxed), // race 2
        _ => atomic_cluster(&mut y[0]).fetch_add(value, Ordering::AcqRel), // race 3
    };
}

/// Blocks of a cluster share a counter; those of others have their own.
#[gpu_kernel]
fn counter_in_cluster(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let own = if how == 3 { 0 } else { block_idx().x / 2 };
    let value = x[global_id()];
    match how {
        0 | 3 => atomic_cluster(&mut y[own]).fetch_add(value, Ordering::Relaxed), // race 3
        1 => atomic(&mut y[own]).fetch_add(value, Ordering::Relaxed),
        _ => atomic_block(&mut y[own]).fetch_add(value, Ordering::Relaxed), // race 2
    };
}

#[gpu_kernel]
fn counter_in_shared(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut count = shared!([u32; 1]);
    let t = thread_idx().x;
    if t == 0 {
        count[0] = 0;
    }
    sync_threads();
    let value = x[t] + 1;
    match how {
        0 => {
            atomic_block(&mut count[0]).fetch_add(value, Ordering::Relaxed);
        }
        1 => {
            atomic(&mut count[0]).fetch_add(value, Ordering::Relaxed);
        }
        2 => {
            atomic_cluster(&mut count[0]).fetch_add(value, Ordering::Relaxed);
        }
        _ => count[0] += value, // race
    }
    sync_threads();
    if t == 0 {
        y[block_idx().x] = count[0];
    }
}

#[gpu_kernel]
fn every_operation(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let v = x[global_id()] + 1;
    match how {
        0 => atomic_max(&mut y[0], v),
        1 => atomic_exchange(&mut y[0], v),
        2 => atomic_inc(&mut y[0], 9),
        3 => atomic(&mut y[0]).fetch_or(v, Ordering::AcqRel),
        4 => atomic_compare_exchange(&mut y[0], 0, v),
        5 => atomic_block(&mut y[0]).fetch_max(v, Ordering::Relaxed), // race 5
        6 => atomic_block(&mut y[0]).swap(v, Ordering::AcqRel),       // race 6
        7 => atomic_block(&mut y[0]).fetch_inc(9, Ordering::Relaxed), // race 7
        8 => atomic_block(&mut y[0]).fetch_or(v, Ordering::SeqCst),   // race 8
        _ => atomic_block(&mut y[0]).compare_exchange(0, v, Ordering::AcqRel, Ordering::Acquire).unwrap_or(1), // race 9
    };
}

#[gpu_kernel]
fn one_side_is_narrow(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    if block_idx().x == 0 {
        match how {
            1 => atomic_block(&mut y[t]).store(1, Ordering::Relaxed), // race 1
            _ => atomic(&mut y[t]).store(1, Ordering::Relaxed),       // race 2
        }
    } else {
        x[t] = match how {
            2 => atomic_block(&mut y[t]).load(Ordering::Relaxed), // race 2
            _ => atomic(&mut y[t]).load(Ordering::Relaxed),       // race 1
        };
    }
}

/// Two blocks of one cluster, and a fence between data and flag.
#[gpu_kernel]
fn fence_of_a_cluster(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let c = block_idx().x / 2 * 8;
    let together = any(true);
    if cluster_block_rank() == 0 {
        x[c] = 1; // race
        match how {
            0 | 3 => fence_cluster(),
            1 => fence_device(),
            _ => fence_block(),
        }
        atomic(&mut y[c]).store(1, Ordering::Relaxed);
    } else {
        while atomic(&mut y[c]).load(Ordering::Relaxed) == 0 && together {}
        match how {
            3 => fence_block(),
            _ => fence_cluster(),
        }
        y[c + 1] = x[c]; // race
    }
}

#[gpu_kernel]
fn release_in_a_cluster(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let c = block_idx().x / 2 * 8;
    let together = any(true);
    if cluster_block_rank() == 0 {
        x[c] = 1; // race 3
        match how {
            0 => atomic_cluster(&mut y[c]).store(1, Ordering::Release),
            2 => atomic_block(&mut y[c]).store(1, Ordering::Release), // race 2
            3 => atomic_cluster(&mut y[c]).store(1, Ordering::Relaxed),
            _ => atomic(&mut y[c]).store(1, Ordering::Release),
        }
    } else {
        while atomic_cluster(&mut y[c]).load(Ordering::Acquire) == 0 && together {} // race 2
        y[c + 1] = x[c]; // race 3
    }
}

/// Within a block by its scope, then to the other block by the device's: the first data come along.
#[gpu_kernel]
fn cumulative(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    if block_idx().x == 0 {
        if t == 0 {
            x[0] = 42; // race
            match how {
                1 => atomic_block(&mut x[64]).store(1, Ordering::Relaxed),
                _ => atomic_block(&mut x[64]).store(1, Ordering::Release),
            }
        }
        if t == 32 {
            while atomic_block(&mut x[64]).load(Ordering::Acquire) == 0 {}
            match how {
                2 => atomic(&mut x[128]).store(1, Ordering::Relaxed),
                _ => atomic(&mut x[128]).store(1, Ordering::Release),
            }
        }
    } else if t == 0 {
        while atomic(&mut x[128]).load(Ordering::Acquire) == 0 {}
        y[0] = x[0]; // race
    }
    sync_threads();
}
