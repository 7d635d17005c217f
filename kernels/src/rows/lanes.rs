//! Summaries of threads, joined in all of the threads that share a row.

use warpsmith::prelude::*;

use super::function::RowFunction;

/// The most threads of a block.
pub const MOST_THREADS: u32 = 1024;
/// The warps of such a block.
const WARPS: u32 = MOST_THREADS / 32;

/// The summary of `lanes` neighbouring threads, a power of two, in each of them.
///
/// With more than a warp, `lanes` is the size of the block, and there is a barrier between one call and the next.
#[gpu_fn]
pub fn joined<F: RowFunction>(summary: F::Summary, lanes: u32) -> F::Summary {
    if lanes <= 32 {
        return joined_in_warp::<F>(summary, lanes);
    }
    let mut of_warps = shared!([F::Summary; WARPS]);
    let of_warp = joined_in_warp::<F>(summary, 32);
    if lane_id() == 0 {
        of_warps[thread_idx().x / 32] = of_warp;
    }
    sync_threads();
    let warps = lanes / 32;
    joined_in_warp::<F>(of_warps[thread_idx().x % warps], warps)
}

/// The summary of `lanes` neighbouring lanes of a warp, in each of them.
#[gpu_fn]
fn joined_in_warp<F: RowFunction>(summary: F::Summary, lanes: u32) -> F::Summary {
    let mut all = summary;
    let mut bit = lanes / 2;
    #[unroll]
    while bit > 0 {
        all = F::join(all, shfl_xor(all, bit));
        bit /= 2;
    }
    all
}
