//! Threads that return before others meet, and barriers that not all threads take part in.

use warpsmith::prelude::*;

use crate::suite::cases;

cases! { "returned.rs";
    before_a_barrier(1, 64) clean [0] racy [1];
    before_a_named_barrier(1, 96) clean [0] racy [1 2];
    outside_the_mask(1, 32) clean [0 2] racy [1];
    lanes_of_the_warp(1, 64) clean [0] racy [1 2];
    block_of_a_cluster(4, 32, cluster(2)) clean [0] racy [1 2];
    between_the_halves(2, 64, cluster(2)) clean [0] racy [1];
    all_but_one(1, 96) clean [0] racy [1];
    three_arrive(1, 128) clean [0] racy [1 2];
    two_numbers(1, 128) clean [0] racy [1 2];
    masks_of_two_branches(1, 32) clean [0] racy [1 2 3];
    nested_masks(1, 32) clean [0] racy [1 2];
    lanes_together(1, 32) clean [0] racy [1];
}

/// Half of the threads write and return, the others meet and read.
#[gpu_kernel]
fn before_a_barrier(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 64]);
    let t = thread_idx().x;
    tile[t] = x[t]; // race
    if t >= 32 {
        return;
    }
    if how == 0 {
        sync_threads();
    }
    y[t] = tile[t + 32]; // race
}

/// A named barrier is for those that arrive: who has returned is not among them.
#[gpu_kernel]
fn before_a_named_barrier(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 96]);
    let t = thread_idx().x;
    tile[t] = x[t]; // race
    if uniform(t / 32) == 0 {
        if how == 0 {
            named_barrier_arrive(1, 96);
        }
        return;
    }
    named_barrier_sync(1, if how == 0 { 96 } else { 64 });
    y[t] = tile[if how == 2 { t % 32 } else { 95 - t }]; // race
}

/// Lanes that have returned are no party to a `sync_warp` whose mask does not name them.
#[gpu_kernel]
fn outside_the_mask(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 32]);
    let lane = lane_id();
    tile[lane] = x[lane]; // race
    if lane < 16 {
        return;
    }
    sync_warp_mask(if how == 2 { 0xffff_ffff } else { 0xffff_0000 });
    y[lane] = tile[if how == 0 { 47 - lane } else { 31 - lane }]; // race
}

/// `sync_warp` holds for the lanes of the warp that have returned, and for no other warp.
#[gpu_kernel]
fn lanes_of_the_warp(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 64]);
    let t = thread_idx().x;
    tile[t] = x[t]; // race
    if t % 2 == 1 {
        return;
    }
    if how != 2 {
        sync_warp();
    }
    y[t] = tile[if how == 1 { 63 - t } else { t ^ 1 }]; // race
}

/// A whole block writes and returns before the other meets.
#[gpu_kernel]
fn block_of_a_cluster(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    x[global_id()] = t; // race
    if uniform(cluster_block_rank()) == 1 {
        return;
    }
    if how == 0 {
        cluster_sync();
    }
    if how == 1 {
        sync_threads();
    }
    y[global_id()] = x[global_id() + 32]; // race
}

/// The last threads return while the others are between the two halves of the cluster's barrier.
#[gpu_kernel]
fn between_the_halves(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    x[global_id()] = t; // race
    if uniform(t / 32) == 1 {
        return;
    }
    if how == 0 {
        cluster_arrive();
        cluster_wait();
    } else {
        sync_threads();
    }
    y[global_id()] = x[127 - global_id()]; // race
}

/// One thread goes on alone, and meets all that have returned.
#[gpu_kernel]
fn all_but_one(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 96]);
    let t = thread_idx().x;
    tile[t] = x[t]; // race
    if t != 40 {
        return;
    }
    if how == 0 {
        sync_threads();
    } else {
        sync_warp();
    }
    for i in 0..96u32 {
        y[i] = tile[i]; // race
    }
}

/// Three warps fill, one waits for them.
#[gpu_kernel]
fn three_arrive(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 128]);
    let t = thread_idx().x;
    let warp = uniform(t / 32);
    tile[t] = x[t]; // race
    let threads = if how == 1 { 96 } else { 128 };
    if warp == 3 {
        named_barrier_sync(1, threads);
        y[t] = tile[t - 64]; // race 1
    } else if how != 1 || warp != 1 {
        named_barrier_arrive(1, threads);
        if how == 2 {
            y[t] = tile[95 - t]; // race 2
        }
    }
}

/// Two pairs of warps, each with a barrier of its own number.
#[gpu_kernel]
fn two_numbers(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 128]);
    let t = thread_idx().x;
    let pair = uniform(t / 64);
    tile[t] = x[t]; // race
    named_barrier_sync(1 + pair, 64);
    let other = match how {
        0 => t ^ 32,
        1 => t ^ 64,
        _ => 127 - t,
    };
    y[t] = tile[other]; // race
}

/// The sides of a branch meet by themselves; what the other side has is not ordered by it.
#[gpu_kernel]
fn masks_of_two_branches(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 32]);
    let lane = lane_id();
    tile[lane] = x[lane]; // race
    if lane % 2 == 0 {
        if how != 2 {
            sync_warp_mask(0x5555_5555);
        }
        y[lane] = tile[30 - lane]; // race 2 3
    } else {
        sync_warp_mask(0xaaaa_aaaa);
        y[lane] = tile[if how == 1 { 31 - lane } else { 32 - lane }]; // race 1
        if how == 3 {
            tile[lane - 1] = 3; // race 3
        }
    }
}

/// A quarter of the warp meets, then half, then all.
#[gpu_kernel]
fn nested_masks(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 32]);
    let lane = lane_id();
    tile[lane] = x[lane]; // race
    if lane < 16 {
        if lane < 8 {
            sync_warp_mask(0xff);
            y[lane] = tile[if how == 1 { 15 - lane } else { 7 - lane }]; // race 1
        }
        sync_warp_mask(0xffff);
        y[32 + lane] = tile[if how == 2 { 31 - lane } else { 15 - lane }]; // race 2
    }
    sync_warp();
    y[64 + lane] = tile[31 - lane];
}

/// The lanes that happen to be together are no more ordered for it, until they meet.
#[gpu_kernel]
fn lanes_together(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 32]);
    let lane = lane_id();
    if lane % 4 != 3 {
        let group = coalesced_threads();
        let rank = group.thread_rank();
        tile[rank] = x[lane]; // race
        if how == 0 {
            group.sync();
        }
        y[lane] = tile[group.size() - 1 - rank]; // race
    }
}
