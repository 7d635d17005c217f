//! Groups of threads: where a thread stands in its cluster and grid, tiles of a warp, and the whole grid.

use warpsmith::prelude::*;

/// Numbers that [`ranks()`] writes for a thread.
pub const RANKS: u32 = 8;

/// Rank of the thread in the grid, block and threads of the grid, then the same of the cluster, and the
/// number of the cluster.
#[gpu_kernel]
pub fn ranks(out: &mut [u32]) {
    let at = RANKS as usize * grid_thread_rank();
    out[at] = grid_thread_rank() as u32;
    out[at + 1] = grid_block_rank() as u32;
    out[at + 2] = grid_threads() as u32;
    out[at + 3] = cluster_thread_rank();
    out[at + 4] = cluster_block_rank();
    out[at + 5] = cluster_threads();
    out[at + 6] = cluster_dim().x * 100 + cluster_dim().y * 10 + cluster_dim().z;
    out[at + 7] = cluster_idx().x * 100 + cluster_idx().y * 10 + cluster_idx().z;
}

/// Sums and prefix sums of each `N` neighbouring elements, in tiles of `N` lanes.
#[gpu_kernel]
pub fn tile_sums<const N: u32>(x: &[i32], sums: &mut [i32], prefixes: &mut [i32]) {
    let tile = warp_tile::<N>();
    let i = global_id();
    let value = if i < x.len() { x[i] } else { 0 };
    let sum = tile.sum(value);
    let prefix = tile.inclusive_sum(value);
    if i < x.len() {
        prefixes[i] = prefix;
        if tile.thread_rank() == 0 {
            sums[i / N as usize] = sum;
        }
    }
}

/// Threads of a block of [`sum_grid()`].
pub const SUM_THREADS: u32 = 256;

/// The sum of all elements in one launch: each block stores its part, and once all have, the first block
/// adds the parts. Launched cooperatively.
#[gpu_kernel]
pub fn sum_grid(x: &[i32], parts: &mut [i32], total: &mut [i32]) {
    let mut warps = shared!([i32; SUM_THREADS / 32]);
    let tile = warp_tile::<32>();
    let mut sum = 0;
    for i in (global_id()..x.len()).step_by(global_size()) {
        sum += x[i];
    }
    sum = tile.sum(sum);
    if tile.thread_rank() == 0 {
        warps[warp_id()] = sum;
    }
    sync_threads();
    if thread_idx().x == 0 {
        let mut part = 0;
        for warp in 0..SUM_THREADS / 32 {
            part += warps[warp];
        }
        parts[block_idx().x] = part;
    }
    grid_sync();
    if block_idx().x == 0 && warp_id() == 0 {
        let mut part = 0;
        for i in (lane_id()..grid_dim().x).step_by(32) {
            part += parts[i];
        }
        part = tile.sum(part);
        if tile.thread_rank() == 0 {
            total[0] = part;
        }
    }
}
