//! Rows of elements that lie side by side: a few lanes a row, a block a row, or several blocks a row.

use warpsmith::prelude::*;

use super::Reduction;
use super::block::{THREADS, joined_by_block, joined_by_lanes};
use super::segment::{Segment, of_segment};
use crate::pack::Pack;

/// [`THREADS`] as numbers of elements are counted.
const BLOCK: usize = THREADS as usize;

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

/// `y[r]` of row `r` of `x`, with `LANES` lanes a row.
#[gpu_kernel(launch_bounds(THREADS), noalias)]
pub fn reduce_short_rows<R: Reduction, const N: usize, const LANES: usize>(
    x: &[R::Element],
    packs: &[Pack<R::Element, N>],
    rows: Rows,
    y: &mut [R::Output],
) {
    let lane = lane_id() as usize;
    let (of_warp, thread) = (lane / LANES, lane % LANES);
    let step = global_size() / LANES;
    let mut first = (global_id() - lane) / LANES;
    // All lanes of a warp go on until none of them has a row.
    while first < rows.rows {
        let row = first + of_warp;
        let mut total = R::nothing();
        if row < rows.rows {
            let zero = row * rows.stride;
            let segment = Segment { from: zero, to: zero + rows.cols, zero };
            total = of_segment::<R, N, LANES>(x, packs, rows.head, segment, thread);
        }
        total = joined_by_lanes::<R, LANES>(total);
        if row < rows.rows && thread == 0 {
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
    let mut is_last = shared!([u32; 1]);
    let t = thread_idx().x;
    let (row, split) = ((block_idx().x / splits) as usize, (block_idx().x % splits) as usize);
    let zero = row * rows.stride;
    let part = rows.cols.div_ceil(splits as usize);
    let from = (split * part).min(rows.cols);
    let to = (from + part).min(rows.cols);
    let segment = Segment { from: zero + from, to: zero + to, zero };
    let mut total = of_segment::<R, N, BLOCK>(x, packs, rows.head, segment, t as usize);
    total = joined_by_block::<R>(total);
    if splits > 1 {
        let of_row = row * splits as usize;
        if t == 0 {
            partials[of_row + split] = total;
            let before = atomic(&mut arrived[row]).fetch_inc(splits - 1, Ordering::AcqRel);
            is_last[0] = (before == splits - 1) as u32;
        }
        sync_threads();
        if uniform(is_last[0]) == 0 {
            return;
        }
        total = R::nothing();
        let mut s = t;
        while s < splits {
            total = R::join(total, partials[of_row + s as usize]);
            s += THREADS;
        }
        total = joined_by_block::<R>(total);
    }
    if t == 0 {
        y[row] = R::output(total, rows.cols as u64);
    }
}
