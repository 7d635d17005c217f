//! Reduces contiguous rows. A few lanes, a block or several blocks take a row.

use warpsmith::prelude::*;

use super::Reduction;
use super::block::{THREADS, is_last_of_row, joined_by_block, joined_by_lanes, joined_by_splits};
use super::segment::{Segment, Share, of_segment};
use crate::pack::Pack;

/// Rows in memory. Row `r` begins at element `r * stride`.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Rows {
    /// Number of rows.
    pub rows: usize,
    /// Elements of a row.
    pub cols: usize,
    /// Elements from one row to the next.
    pub stride: usize,
    /// Elements before the first pack.
    pub head: usize,
}

/// Reduces row `r` of `x` to `y[r]`. `lanes` lanes share a row, a power of two.
#[gpu_kernel(launch_bounds(THREADS), noalias)]
pub fn reduce_short_rows<R: Reduction, const N: usize>(
    x: &[R::Element],
    packs: &[Pack<R::Element, N>],
    rows: Rows,
    #[comptime] lanes: u32,
    y: &mut [R::Output],
) {
    let (lane, threads) = (lane_id() as usize, lanes as usize);
    let share = Share { thread: lane % threads, threads };
    let step = global_size() / threads;
    let mut first = (global_id() - lane) / threads;
    // All lanes of a warp stay in the loop as long as any of them has a row, since they join partial results.
    while first < rows.rows {
        let row = first + lane / threads;
        let mut total = R::nothing();
        if row < rows.rows {
            let zero = row * rows.stride;
            let segment = Segment { from: zero, to: zero + rows.cols, zero };
            total = of_segment::<R, N>(x, packs, rows.head, segment, share);
        }
        total = joined_by_lanes::<R>(total, lanes);
        if row < rows.rows && share.thread == 0 {
            y[row] = R::output(total, rows.cols as u64);
        }
        first += step;
    }
}

/// Reduces row `r` of `x` to `y[r]`. `splits` consecutive blocks share a row.
///
/// If they are several, each stores its partial result in `partials`, and the last to arrive joins them. `arrived` has a counter for
/// each row, which is zero before and after.
#[gpu_kernel(launch_bounds(THREADS), noalias)]
pub fn reduce_rows<R: Reduction, const N: usize>(
    x: &[R::Element],
    packs: &[Pack<R::Element, N>],
    rows: Rows,
    splits: u32,
    partials: &mut [R::Partial],
    arrived: &mut [u32],
    y: &mut [R::Output],
) {
    let t = thread_idx().x;
    let (row, split) = ((block_idx().x / splits) as usize, (block_idx().x % splits) as usize);
    // The blocks of a row interleave: they end together, and their loads at any time are neighbours.
    let threads = THREADS as usize;
    let share = Share { thread: split * threads + t as usize, threads: splits as usize * threads };
    let zero = row * rows.stride;
    let segment = Segment { from: zero, to: zero + rows.cols, zero };
    let mut total = of_segment::<R, N>(x, packs, rows.head, segment, share);
    total = joined_by_block::<R>(total);
    if splits > 1 {
        if !is_last_of_row::<R>(total, row, splits, partials, arrived) {
            return;
        }
        total = joined_by_splits::<R>(row, splits, partials);
    }
    if t == 0 {
        y[row] = R::output(total, rows.cols as u64);
    }
}
