//! Code that relies on the lanes of a warp running together.

use warpsmith::prelude::*;

use crate::suite::cases;

cases! { "warps.rs";
    lane_exchange(1, 64) clean [0 2] racy [1];
    warp_reduction(1, 64) clean [0] racy [1 2 3];
    half_masks(1, 32) clean [0] racy [1 2];
    no_order(1, 32) clean [0] racy [1 2 3 4 5 6];
    leader_tells(1, 64) clean [0] racy [1 2];
    warp_scan(1, 64) clean [0] racy [1 2];
    rows_of_warps(1, 128) clean [0] racy [1 2];
    packed_by_warp(1, 64) clean [0] racy [1];
    global_lanes(2, 32) clean [0] racy [1];
    last_warp_unrolled(1, 128) clean [0] racy [1 2];
    transposed_by_warp(1, 32) clean [0] racy [1];
    tile_of_eight(1, 32) clean [0] racy [1];
}

#[gpu_kernel]
fn lane_exchange(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 64]);
    let t = thread_idx().x;
    tile[t] = x[t]; // race
    if how == 0 {
        sync_warp();
    }
    if how == 2 {
        sync_threads();
    }
    y[t] = tile[t ^ 1]; // race
}

/// The warp-synchronous reduction of old, and as it must be now.
#[gpu_kernel]
fn warp_reduction(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut part = shared!([u32; 64]);
    let (t, lane) = (thread_idx().x, lane_id());
    part[t] = x[t]; // race 1 3
    if how != 3 {
        sync_warp();
    }
    for step in 0..5u32 {
        let distance = 16 >> step;
        let other = part[t / 32 * 32 + (lane + distance) % 32]; // race
        if how == 0 || how == 3 {
            sync_warp();
        }
        part[t] += other; // race 1 2
        if how != 1 {
            sync_warp();
        }
    }
    y[t] = part[t];
}

#[gpu_kernel]
fn half_masks(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 32]);
    let lane = lane_id();
    let mask = if lane < 16 { 0xffff } else { 0xffff_0000 };
    tile[lane] = x[lane]; // race
    if how != 2 {
        sync_warp_mask(mask);
    }
    y[lane] = tile[if how == 1 { 31 - lane } else { lane ^ 15 }]; // race
}

/// Operations that lanes do together without a fence.
#[gpu_kernel]
fn no_order(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 32]);
    let lane = lane_id();
    tile[lane] = x[lane]; // race
    let seen = match how {
        0 => {
            sync_warp();
            0
        }
        1 => shfl(lane, 0),
        2 => ballot(lane > 3),
        3 => match_any(lane % 2),
        4 => reduce_add_sync(u32::MAX, lane),
        5 => all(lane < 40) as u32,
        _ => shfl_xor(lane, 1),
    };
    y[lane] = tile[31 - lane] + seen; // race
}

#[gpu_kernel]
fn leader_tells(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut told = shared!([u32; 2]);
    let t = thread_idx().x;
    if lane_id() == 0 {
        told[t / 32] = x[t]; // race
    }
    if how == 0 {
        sync_warp();
    }
    let ready = if how == 2 { shfl(t, 0) } else { 0 };
    y[t] = told[t / 32] + ready; // race
}

#[gpu_kernel]
fn warp_scan(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut sums = shared!([u32; 64]);
    let (t, lane) = (thread_idx().x, lane_id());
    sums[t] = x[t];
    sync_warp();
    for step in 0..5u32 {
        let distance = 1 << step;
        let mut below = 0;
        if lane >= distance {
            below = sums[t - distance]; // race
        }
        if how != 1 {
            sync_warp();
        }
        sums[t] += below; // race
        if how != 2 {
            sync_warp();
        }
    }
    y[t] = sums[t];
}

/// Each warp has a row of its own.
#[gpu_kernel]
fn rows_of_warps(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut rows = shared!([u32; 160]);
    let (t, lane) = (thread_idx().x, lane_id());
    let pitch = if how == 1 { 31 } else { 32 };
    rows[warp_id() * pitch + lane] = x[t]; // race
    sync_warp();
    let row = if how == 2 { (warp_id() + 1) % 4 } else { warp_id() };
    y[t] = rows[row * pitch + 31 - lane]; // race
}

/// Places by rank among the lanes that want one.
#[gpu_kernel]
fn packed_by_warp(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let lane = lane_id();
    let wants = (x[lane] + lane) % 3 == 0;
    let votes = ballot(wants);
    let mut base = 0;
    if lane == 0 {
        base = atomic_add(&mut x[100], votes.count_ones());
    }
    base = shfl(base, 0);
    if wants {
        let below = if how == 1 { 7 } else { (1 << lane) - 1 };
        y[base + (votes & below).count_ones()] = lane; // race
    }
}

#[gpu_kernel]
fn global_lanes(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let i = global_id();
    x[i] = 3; // race
    if how == 0 {
        sync_warp();
    }
    y[i] = x[i ^ 16]; // race
}

/// A block's reduction whose last warp goes on alone.
#[gpu_kernel]
fn last_warp_unrolled(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut part = shared!([u32; 128]);
    let t = thread_idx().x;
    part[t] = x[t]; // race 2
    if how != 2 {
        sync_threads();
    }
    if t < 64 {
        part[t] += part[t + 64]; // race 2
    }
    sync_threads();
    if warp_id() == 0 {
        let mut sum = part[t] + part[t + 32]; // race 1
        for step in 0..5u32 {
            if how == 1 {
                part[t] = sum; // race 1
                sum += part[t ^ 16 >> step]; // race 1
            } else {
                sum += shfl_xor(sum, 16 >> step);
            }
        }
        y[t] = sum;
    }
}

#[gpu_kernel]
fn transposed_by_warp(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([[u32; 33]; 32]);
    let lane = lane_id();
    for row in 0..32u32 {
        tile[row][lane] = x[row * 32 + lane]; // race
    }
    if how == 0 {
        sync_warp();
    }
    for row in 0..32u32 {
        y[row * 32 + lane] = tile[lane][row]; // race
    }
}

/// Lanes of a tile of eight exchange through shared memory.
#[gpu_kernel]
fn tile_of_eight(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut kept = shared!([u32; 32]);
    let lane = lane_id();
    let mask = 0xff << (lane / 8 * 8);
    kept[lane] = x[lane]; // race
    sync_warp_mask(mask);
    y[lane] = kept[lane ^ if how == 1 { 8 } else { 7 }]; // race
}
