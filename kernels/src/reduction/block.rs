//! Partial results of threads, joined across a warp and a block in a fixed order.

use warpsmith::prelude::*;

use super::Reduction;

/// Threads of a block of every kernel of the family.
pub const THREADS: u32 = 256;
/// Its warps.
pub const WARPS: u32 = THREADS / 32;

/// The partial result of each `lanes` neighbouring lanes, in the first of them.
#[gpu_fn]
pub fn joined_by_lanes<R: Reduction>(partial: R::Partial, lanes: u32) -> R::Partial {
    let mut total = partial;
    let mut distance = lanes / 2;
    #[unroll]
    while distance > 0 {
        let above = shfl_down_sync(u32::MAX, total, distance, lanes);
        total = R::join(total, above);
        distance /= 2;
    }
    total
}

/// The partial result of the whole block, in the first lane of each warp.
///
/// Every thread of the block calls it, with a barrier between one call and the next.
#[gpu_fn]
pub fn joined_by_block<R: Reduction>(partial: R::Partial) -> R::Partial {
    let mut of_warps = shared!([R::Partial; WARPS]);
    let (warp, lane) = (thread_idx().x / 32, thread_idx().x % 32);
    let of_warp = joined_by_lanes::<R>(partial, 32);
    if lane == 0 {
        of_warps[warp] = of_warp;
    }
    sync_threads();
    let mine = if lane < WARPS { of_warps[lane] } else { R::nothing() };
    joined_by_lanes::<R>(mine, 32)
}

/// Leaves the block's partial result, which thread 0 has, where the last block of its row finds it. Returns whether this is the last.
///
/// The blocks of a row follow each other in the grid, `splits` of them. The counters `arrived`, one a row, are zero before and after.
#[gpu_fn]
pub fn is_last_of_row<R: Reduction>(
    partial: R::Partial,
    row: usize,
    splits: u32,
    partials: &mut [R::Partial],
    arrived: &mut [u32],
) -> bool {
    let mut is_last = shared!([u32; 1]);
    if thread_idx().x == 0 {
        partials[block_idx().x] = partial;
        let before = atomic(&mut arrived[row]).fetch_inc(splits - 1, Ordering::AcqRel);
        is_last[0] = (before == splits - 1) as u32;
    }
    sync_threads();
    uniform(is_last[0]) == 1
}

/// The partial result of all blocks of a row, in the first lane of each warp of its last block.
#[gpu_fn]
pub fn joined_by_splits<R: Reduction>(row: usize, splits: u32, partials: &[R::Partial]) -> R::Partial {
    let of_row = row * splits as usize;
    let mut total = R::nothing();
    let mut s = thread_idx().x;
    while s < splits {
        total = R::join(total, partials[of_row + s as usize]);
        s += THREADS;
    }
    joined_by_block::<R>(total)
}
