//! Buffers used in turns: one stage too few, one barrier too few, one index off.

use warpsmith::prelude::*;

use crate::suite::cases;

cases! { "buffers.rs";
    double_buffer(1, 64) clean [0] racy [1 2 3];
    triple_buffer(1, 64) clean [0] racy [1 2];
    ping_pong_global(1, 64) clean [0] racy [1 2];
    jacobi(1, 64) clean [0] racy [1 2 3];
    sliding_window(1, 64) clean [0] racy [1 2];
    prefetched(1, 64) clean [0] racy [1 2];
    split_in_place(1, 64) clean [0] racy [1];
    warp_stages(1, 64) clean [0] racy [1 2];
    grid_ping_pong(2, 32, cooperative()) clean [0] racy [1 2 3];
}

/// One barrier a step is enough for two buffers.
#[gpu_kernel]
fn double_buffer(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut stages = shared!([[u32; 64]; 2]);
    let t = thread_idx().x;
    for i in 0..4u32 {
        let stage = if how == 1 { 0 } else { i % 2 };
        stages[stage][t] = x[i * 64 + t]; // race
        if how != 3 || i != 2 {
            sync_threads();
        }
        let from = if how == 2 && i > 0 { 1 - stage } else { stage };
        y[i * 64 + t] = stages[from][63 - t]; // race
    }
}

/// Writes two steps ahead of what it reads.
#[gpu_kernel]
fn triple_buffer(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut stages = shared!([[u32; 64]; 3]);
    let t = thread_idx().x;
    let count = if how == 1 { 2 } else { 3 };
    stages[0u32][t] = x[t]; // race 2
    stages[1u32][t] = x[64 + t]; // race 2
    for i in 0..4u32 {
        if how != 2 {
            sync_threads();
        }
        y[i * 64 + t] = stages[i % count][63 - t]; // race
        stages[(i + 2) % count][t] = x[(i + 2) * 64 + t]; // race
        if how == 2 {
            sync_threads();
        }
    }
}

#[gpu_kernel]
fn ping_pong_global(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    for i in 0..4u32 {
        if i % 2 == 0 {
            y[t] = x[(t + 1) % 64]; // race
        } else {
            x[t] = y[(t + 1) % 64]; // race
        }
        if how == 0 || how == 1 && i > 0 || how == 2 && i != 1 {
            sync_threads();
        }
        if how == 2 && i == 1 {
            y[200 + t] = x[(t + 2) % 64]; // race 2
        }
    }
}

#[gpu_kernel]
fn jacobi(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut old = shared!([u32; 66]);
    let mut new = shared!([u32; 66]);
    let t = thread_idx().x;
    old[t + 1] = x[t]; // race 1
    if t < 2 {
        old[t * 65] = 1; // race 1
    }
    if how != 1 {
        sync_threads();
    }
    for _ in 0..3u32 {
        new[t + 1] = old[t] + old[t + 2]; // race 1 2 3
        if how != 2 {
            sync_threads();
        }
        old[t + 1] = new[t + 1] / 2; // race 2 3
        if how != 3 {
            sync_threads();
        }
    }
    y[t] = old[t + 1];
}

#[gpu_kernel]
fn sliding_window(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut ring = shared!([u32; 128]);
    let t = thread_idx().x;
    ring[t] = x[t]; // race
    for i in 1..4u32 {
        let offset = if how == 1 { 32 } else { 64 };
        ring[(i * 64 + t) % 128] = x[i * 64 + t]; // race
        if how != 2 {
            sync_threads();
        }
        y[i * 64 + t] = ring[(i * 64 + 63 - t + offset) % 128]; // race
        if how != 1 {
            sync_threads();
        }
    }
}

/// The next step's element waits in a register.
#[gpu_kernel]
fn prefetched(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 64]);
    let t = thread_idx().x;
    let mut next = x[t];
    for i in 0..4u32 {
        tile[t] = next; // race
        if how != 1 {
            sync_threads();
        }
        next = x[(i + 1) * 64 + t];
        y[i * 64 + t] = tile[t ^ 33]; // race
        if how != 2 {
            sync_threads();
        }
    }
}

#[gpu_kernel]
fn split_in_place(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    let middle = if how == 1 { 63 } else { 64 };
    let (low, high) = x.split_at_mut(64);
    low[t] = t; // race
    sync_threads();
    y[t] = if how == 1 { low[(t + 1) % 64] } else { high[t] }; // race
    if how == 1 {
        low[middle - t] = 0; // race
    }
}

/// Two warps, each with two stages.
#[gpu_kernel]
fn warp_stages(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut stages = shared!([[u32; 64]; 2]);
    let (t, lane) = (thread_idx().x, lane_id());
    for i in 0..4u32 {
        let stage = if how == 2 { 0 } else { i % 2 };
        stages[stage][t] = x[i * 64 + t]; // race
        if how != 1 {
            sync_warp();
        }
        y[i * 64 + t] = stages[stage][t - lane + 31 - lane]; // race
    }
}

#[gpu_kernel]
fn grid_ping_pong(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let i = global_id();
    for step in 0..4u32 {
        if how == 3 {
            x[i] = x[(i + 1) % 64] + step; // race 3
        } else if step % 2 == 0 {
            y[i] = x[(i + 1) % 64]; // race 1 2
        } else {
            x[i] = y[(i + 1) % 64]; // race 1 2
        }
        if how == 1 {
            sync_threads();
        } else if how != 2 {
            grid_sync();
        }
    }
}
