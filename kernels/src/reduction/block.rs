//! Joins the partial results of threads across a warp and a block, in a fixed order.

use warpsmith::prelude::*;

use super::Reduction;

/// Threads of a block, in every kernel of the family.
pub const THREADS: u32 = 256;
/// Warps of a block.
pub const WARPS: u32 = THREADS / 32;

/// Joins the partial results of each group of `lanes` neighbouring lanes. The first lane of a group gets the result.
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

/// Joins the partial results of the whole block. The first lane of each warp gets the result.
///
/// Every thread of the block must call it, with a barrier between two calls.
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

/// Stores the block's partial result, which thread 0 has, in `partials`. Returns whether this block is the last of its row to do so.
///
/// `splits` consecutive blocks share a row. `arrived` has a counter for each row, which is zero before and after.
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

/// Joins the partial results of all blocks of a row, in the row's last block. The first lane of each warp gets the result.
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
