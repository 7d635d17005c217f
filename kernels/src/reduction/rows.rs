//! Rows of elements that lie side by side: a few lanes a row, a block a row, or several blocks a row.

use warpsmith::prelude::*;

use super::Reduction;
use super::block::{THREADS, is_last_of_row, joined_by_block, joined_by_lanes, joined_by_splits};
use super::segment::{Segment, Share, of_segment};
use crate::pack::Pack;

/// Rows in memory: row `r` is the elements from `r * stride` on.
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

/// `y[r]` of row `r` of `x`, with `lanes` lanes a row, a power of two.
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
    // All lanes of a warp go on until none of them has a row.
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

/// `y[r]` of row `r` of `x`, with `splits` blocks a row, which follow each other in the grid.
///
/// With more than one, each leaves its partial result in `partials`, `splits` of them a row, and the last to arrive joins them. The
/// counters `arrived`, one a row, are zero before and after.
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
    // The blocks of a row go through it side by side: they end together, and what they load at a time lies together.
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
