//! Partial results of threads, joined across a warp and a block in a fixed order.

use warpsmith::prelude::*;

use super::Reduction;

/// Threads of a block of every kernel of the family.
pub const THREADS: u32 = 256;
/// Its warps.
pub const WARPS: u32 = THREADS / 32;

/// The partial result of each `LANES` neighbouring lanes, in the first of them.
#[gpu_fn]
pub fn joined_by_lanes<R: Reduction, const LANES: usize>(partial: R::Partial) -> R::Partial {
    let mut total = partial;
    let mut distance = LANES as u32 / 2;
    #[unroll]
    while distance > 0 {
        let above = shfl_down_sync(u32::MAX, total, distance, LANES as u32);
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
    let of_warp = joined_by_lanes::<R, 32>(partial);
    if lane == 0 {
        of_warps[warp] = of_warp;
    }
    sync_threads();
    let mine = if lane < WARPS { of_warps[lane] } else { R::nothing() };
    joined_by_lanes::<R, 32>(mine)
}
