//! RMS normalisation of rows that the copy engine loads: a ring of rows in shared memory, which one warp keeps filled.

#![allow(
    clippy::explicit_counter_loop,
    reason = "the number of rows that a block has done is no part of the row's index"
)]

use warpsmith::prelude::*;
use warpsmith::ptx::fence_mbarrier_init;

/// Threads that compute; a warp more lets rows be copied.
const THREADS: usize = 256;
/// Threads of a block.
pub const BULK_THREADS: u32 = THREADS as u32 + 32;
/// Warps that compute.
const WARPS: usize = THREADS / 32;

/// The sum of `value` over the threads that compute, in each of them. They call it for one row after the other: memory that
/// a slow warp still reads is that of the row before.
#[gpu_fn]
fn row_sum(sums: &mut [f32], row: usize, value: f32) -> f32 {
    let first = row % 2 * WARPS;
    let mut sum = value;
    #[unroll]
    for mask in [16, 8, 4, 2, 1u32] {
        sum += shfl_xor(sum, mask);
    }
    if lane_id() == 0 {
        sums[first + warp_id() as usize] = sum;
    }
    named_barrier_sync(1, THREADS as u32);
    sum = 0.0;
    #[unroll]
    for w in 0..WARPS {
        sum += sums[first + w];
    }
    sum
}

/// `y = x / sqrt(mean(x²) + epsilon) * weight` of each of `rows` rows of `4 * VECTORS` columns, in vectors of four.
///
/// A block of [`BULK_THREADS`] takes every `grid`-th row. `full` tells that a row has come, `empty` that all have read it;
/// `STAGES` rows are under way, and no thread computes an address to load from but one.
#[gpu_kernel(noalias, allow(divergent_barriers))]
pub fn rms_norm_bulk<const VECTORS: usize, const STAGES: usize>(
    x: &[F32x4],
    weight: &[F32x4],
    y: &mut [F32x4],
    rows: usize,
    epsilon: f32,
) {
    let mut ring = shared!([[F32x4; VECTORS]; STAGES]);
    let mut sums = shared!([f32; 2 * WARPS]);
    let full = shared!([Barrier; STAGES]);
    let empty = shared!([Barrier; STAGES]);
    let t = thread_idx().x as usize;
    if t == 0 {
        for stage in 0..STAGES {
            full[stage].init(1);
            empty[stage].init(THREADS as u32);
        }
        fence_mbarrier_init();
    }
    sync_threads();
    let (first, step) = (block_idx().x as usize, grid_dim().x as usize);
    let mut stage = 0;
    if t >= THREADS {
        // A place is free before it is filled for the first time.
        let mut free = Phase::passed();
        for row in (first..rows).step_by(step) {
            if t == THREADS {
                empty[stage].wait_for(free);
                full[stage].load(&mut ring[stage], &x[row * VECTORS..(row + 1) * VECTORS]);
                full[stage].arrive();
            }
            stage += 1;
            if stage == STAGES {
                stage = 0;
                free = free.next();
            }
        }
    } else {
        let mut filled = Phase::first();
        let mut done = 0;
        for row in (first..rows).step_by(step) {
            full[stage].wait_for(filled);
            let mut squares = 0.0;
            for i in (t..VECTORS).step_by(THREADS) {
                let v = ring[stage][i];
                squares += v.dot(v);
            }
            let mean = row_sum(&mut sums, done, squares) / (4 * VECTORS) as f32;
            let scale = rsqrt(mean + epsilon);
            for i in (t..VECTORS).step_by(THREADS) {
                y[row * VECTORS + i] = ring[stage][i] * weight[i] * scale;
            }
            empty[stage].arrive();
            done += 1;
            stage += 1;
            if stage == STAGES {
                stage = 0;
                filled = filled.next();
            }
        }
    }
}
