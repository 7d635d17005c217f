//! Reduces an axis that is not the last. Neighbouring threads take neighbouring columns.

use warpsmith::prelude::*;

use super::Reduction;
use super::block::THREADS;
use super::segment::Segment;
use crate::pack::Pack;

/// An array `[outer, n, inner]` whose middle axis is reduced, and its distribution over blocks.
///
/// Element `(o, k, i)` is number `o * outer_stride + k * axis_stride + i`.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Columns {
    /// Extent of the reduced axis.
    pub n: usize,
    /// Number of elements of the axes behind it.
    pub inner: usize,
    /// Elements from one outer index to the next.
    pub outer_stride: usize,
    /// Elements from one index of the axis to the next.
    pub axis_stride: usize,
    /// Neighbouring blocks that cover `inner`.
    pub tiles: usize,
    /// Neighbouring threads of a block that take neighbouring columns: a power of two.
    pub width: u32,
    /// Blocks that share a column.
    pub splits: u32,
}

/// Reduces the elements `(o, k, i)` for all `k` to `y[o * inner + i]`. A thread takes `N` neighbouring columns: a pack, or one element if
/// `N` is 1.
///
/// If several blocks share a column, each stores its partial results in `partials`, and the last to arrive joins them. `arrived` has a
/// counter for each tile, which is zero before and after.
#[gpu_kernel(launch_bounds(THREADS, 8), noalias)]
pub fn reduce_columns<R: Reduction, const N: usize>(
    x: &[R::Element],
    packs: &[Pack<R::Element, N>],
    at: Columns,
    partials: &mut [R::Partial],
    arrived: &mut [u32],
    y: &mut [R::Output],
) {
    let t = thread_idx().x;
    let (column, line) = (t % at.width, (t / at.width) as usize);
    let lines = (THREADS / at.width) as usize;
    let (tile, split) = ((block_idx().x / at.splits) as usize, (block_idx().x % at.splits) as usize);
    let outer = tile / at.tiles;
    let first = ((tile % at.tiles) * at.width as usize + column as usize) * N;
    let exists = first < at.inner;
    let part = at.n.div_ceil(at.splits as usize);
    let from = (split * part).min(at.n);
    let to = (from + part).min(at.n);

    let mut totals = [R::nothing(); N];
    if exists {
        let share = Segment { from: from + line, to, zero: outer * at.outer_stride + first };
        totals = of_columns::<R, N>(x, packs, at, share, lines);
    }
    totals = joined_by_lines::<R, N>(totals, at.width);

    let output = outer * at.inner + first;
    if at.splits > 1 {
        let outputs = y.len();
        if !is_last_of_tile::<R, N>(totals, at, exists && line == 0, output, outputs, partials, arrived) {
            return;
        }
        totals = joined_by_splits::<R, N>(at, exists, output, outputs, partials);
    }
    if exists && line == 0 {
        #[unroll]
        for j in 0..N {
            y[output + j] = R::output(totals[j], at.n as u64);
        }
    }
}

/// Joins a thread's share of `N` columns that begin at element `zero`: every `lines`-th of the indices `from..to`, four loads in flight.
#[gpu_fn]
fn of_columns<R: Reduction, const N: usize>(
    x: &[R::Element],
    packs: &[Pack<R::Element, N>],
    at: Columns,
    share: Segment,
    lines: usize,
) -> [R::Partial; N] {
    let mut totals = [R::nothing(); N];
    let mut k = share.from;
    // `N` divides all of these: packs are counted, or elements where it is 1.
    let mut p = (share.zero + k * at.axis_stride) / N;
    let step = lines * at.axis_stride / N;
    while k + 3 * lines < share.to {
        let a = loaded::<R, N>(x, packs, p);
        let b = loaded::<R, N>(x, packs, p + step);
        let c = loaded::<R, N>(x, packs, p + 2 * step);
        let d = loaded::<R, N>(x, packs, p + 3 * step);
        totals = with_each::<R, N>(totals, a, k);
        totals = with_each::<R, N>(totals, b, k + lines);
        totals = with_each::<R, N>(totals, c, k + 2 * lines);
        totals = with_each::<R, N>(totals, d, k + 3 * lines);
        k += 4 * lines;
        p += 4 * step;
    }
    while k < share.to {
        totals = with_each::<R, N>(totals, loaded::<R, N>(x, packs, p), k);
        k += lines;
        p += step;
    }
    totals
}

/// Pack number `at`, or element number `at` if `N` is 1. The host has checked the shape, so no branch separates one load from the next.
#[gpu_fn]
fn loaded<R: Reduction, const N: usize>(
    x: &[R::Element],
    packs: &[Pack<R::Element, N>],
    at: usize,
) -> Pack<R::Element, N> {
    if N == 1 {
        assume(at < x.len());
        Pack([x[at]; N])
    } else {
        assume(at < packs.len());
        packs[at]
    }
}

/// Adds an element to each of `N` partial results.
#[gpu_fn]
fn with_each<R: Reduction, const N: usize>(
    totals: [R::Partial; N],
    pack: Pack<R::Element, N>,
    index: usize,
) -> [R::Partial; N] {
    let mut totals = totals;
    #[unroll]
    for j in 0..N {
        totals[j] = R::add(totals[j], pack.0[j], index as u64);
    }
    totals
}

/// Stores partial results of the outputs from `output` on, which the threads that have `owns` hold. Returns whether this block is the last
/// of its tile to do so.
///
/// One split lies after the other, each with the outputs in their order. `arrived` has a counter for each tile, which is zero before and
/// after.
#[gpu_fn]
pub fn is_last_of_tile<R: Reduction, const N: usize>(
    totals: [R::Partial; N],
    at: Columns,
    owns: bool,
    output: usize,
    outputs: usize,
    partials: &mut [R::Partial],
    arrived: &mut [u32],
) -> bool {
    let mut is_last = shared!([u32; 1]);
    let (tile, split) = ((block_idx().x / at.splits) as usize, (block_idx().x % at.splits) as usize);
    if owns {
        #[unroll]
        for j in 0..N {
            partials[split * outputs + output + j] = totals[j];
        }
    }
    sync_threads();
    if thread_idx().x == 0 {
        let before = atomic(&mut arrived[tile]).fetch_inc(at.splits - 1, Ordering::AcqRel);
        is_last[0] = (before == at.splits - 1) as u32;
    }
    sync_threads();
    uniform(is_last[0]) == 1
}

/// Joins the partial results of all blocks of a tile, in the tile's last block. The first line gets the results.
#[gpu_fn]
pub fn joined_by_splits<R: Reduction, const N: usize>(
    at: Columns,
    exists: bool,
    output: usize,
    outputs: usize,
    partials: &[R::Partial],
) -> [R::Partial; N] {
    let mut totals = [R::nothing(); N];
    if exists {
        let mut s = (thread_idx().x / at.width) as usize;
        while s < at.splits as usize {
            #[unroll]
            for j in 0..N {
                totals[j] = R::join(totals[j], partials[s * outputs + output + j]);
            }
            s += (THREADS / at.width) as usize;
        }
    }
    joined_by_lines::<R, N>(totals, at.width)
}

/// Joins the partial results of a block's lines, which have `width` threads each. The first line gets the results.
#[gpu_fn]
pub fn joined_by_lines<R: Reduction, const N: usize>(totals: [R::Partial; N], width: u32) -> [R::Partial; N] {
    let mut kept = shared!([R::Partial; THREADS]);
    let t = thread_idx().x;
    let mut totals = totals;
    #[unroll]
    for j in 0..N {
        kept[t] = totals[j];
        sync_threads();
        let mut half = THREADS / 2;
        while half >= width {
            if t < half {
                kept[t] = R::join(kept[t], kept[t + half]);
            }
            sync_threads();
            half /= 2;
        }
        totals[j] = kept[t];
        sync_threads();
    }
    totals
}
