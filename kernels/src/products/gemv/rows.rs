//! Products of the rows of a matrix, whose elements lie side by side, and a vector.

use warpsmith::prelude::*;

use crate::number::{Number, Total};
use crate::pack::Pack;
use crate::reduction::Sum;
use crate::reduction::block::{THREADS, is_last_of_row, joined_by_block, joined_by_lanes, joined_by_splits};

/// Warps of a block.
const WARPS: usize = THREADS as usize / 32;

/// Rows of a matrix, and what their products are added to.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
pub struct Lines<S> {
    /// Number of rows.
    pub rows: usize,
    /// Elements of a row.
    pub cols: usize,
    /// Elements from one row to the next.
    pub stride: usize,
    /// Factor of the products.
    pub alpha: S,
    /// Factor of the elements that the output has before; if zero, nothing reads them.
    pub beta: S,
}

/// `y[r] = alpha * sum of a[r, c] * x[c] + beta * y[r]`. `threads` neighbouring threads take `ROWS` rows, a power of two of up to a block.
///
/// `packs` and `xs` are all elements of `a` and `x` in whole packs, and rows begin with one. If `N` is 1, they are unused.
#[gpu_kernel(launch_bounds(THREADS, 4), noalias)]
pub fn gemv_rows<T: Number, const N: usize, const ROWS: usize>(
    a: &[T],
    packs: &[Pack<T, N>],
    x: &[T],
    xs: &[Pack<T, N>],
    y: &mut [T],
    at: Lines<T::Total>,
    #[comptime] threads: u32,
) {
    let t = thread_idx().x % THREADS;
    let first = (block_idx().x * (THREADS / threads) + t / threads) as usize * ROWS;
    let thread = (t % threads) as usize;
    // Rows behind the last are its copies, which nobody writes.
    let mut starts = [0usize; ROWS];
    #[unroll]
    for k in 0..ROWS {
        starts[k] = (first + k).min(at.rows - 1) * at.stride;
    }
    let mut sums = [T::Total::ZERO; ROWS];
    let step = threads as usize;
    let whole = at.cols / N;
    let mut p = thread;
    while p + step < whole {
        let (here, next) = (loaded::<T, N>(x, xs, p), loaded::<T, N>(x, xs, p + step));
        let mut of_rows = [here; ROWS];
        let mut next_of_rows = [next; ROWS];
        #[unroll]
        for k in 0..ROWS {
            of_rows[k] = loaded::<T, N>(a, packs, starts[k] / N + p);
            next_of_rows[k] = loaded::<T, N>(a, packs, starts[k] / N + p + step);
        }
        #[unroll]
        for k in 0..ROWS {
            sums[k] = with_products::<T, N>(sums[k], of_rows[k], here);
            sums[k] = with_products::<T, N>(sums[k], next_of_rows[k], next);
        }
        p += 2 * step;
    }
    while p < whole {
        let here = loaded::<T, N>(x, xs, p);
        #[unroll]
        for k in 0..ROWS {
            sums[k] = with_products::<T, N>(sums[k], loaded::<T, N>(a, packs, starts[k] / N + p), here);
        }
        p += step;
    }
    let mut c = whole * N + thread;
    while c < at.cols {
        #[unroll]
        for k in 0..ROWS {
            assume(starts[k] + c < a.len() && c < x.len());
            sums[k] = sums[k].plus(a[starts[k] + c].total().times(x[c].total()));
        }
        c += step;
    }

    sums = joined::<T, ROWS>(sums, threads);
    if thread == 0 {
        #[unroll]
        for k in 0..ROWS {
            if first + k < at.rows {
                y[first + k] = finished::<T>(sums[k], y, first + k, at.alpha, at.beta);
            }
        }
    }
}

/// The same, where `splits` consecutive blocks share a row.
///
/// Each stores its sum in `partials`, and the last to arrive joins them. `arrived` has a counter for each row, which is zero before and
/// after.
#[gpu_kernel(launch_bounds(THREADS), noalias)]
pub fn gemv_long_rows<T: Number, const N: usize>(
    a: &[T],
    packs: &[Pack<T, N>],
    x: &[T],
    xs: &[Pack<T, N>],
    y: &mut [T],
    at: Lines<T::Total>,
    splits: u32,
    partials: &mut [T::Total],
    arrived: &mut [u32],
) {
    let (row, split) = ((block_idx().x / splits) as usize, (block_idx().x % splits) as usize);
    let start = row * at.stride;
    let step = splits as usize * THREADS as usize;
    let thread = split * THREADS as usize + thread_idx().x as usize;
    let whole = at.cols / N;
    let mut sum = T::Total::ZERO;
    let mut p = thread;
    while p + 3 * step < whole {
        let a0 = loaded::<T, N>(a, packs, start / N + p);
        let a1 = loaded::<T, N>(a, packs, start / N + p + step);
        let a2 = loaded::<T, N>(a, packs, start / N + p + 2 * step);
        let a3 = loaded::<T, N>(a, packs, start / N + p + 3 * step);
        sum = with_products::<T, N>(sum, a0, loaded::<T, N>(x, xs, p));
        sum = with_products::<T, N>(sum, a1, loaded::<T, N>(x, xs, p + step));
        sum = with_products::<T, N>(sum, a2, loaded::<T, N>(x, xs, p + 2 * step));
        sum = with_products::<T, N>(sum, a3, loaded::<T, N>(x, xs, p + 3 * step));
        p += 4 * step;
    }
    while p < whole {
        sum = with_products::<T, N>(sum, loaded::<T, N>(a, packs, start / N + p), loaded::<T, N>(x, xs, p));
        p += step;
    }
    let mut c = whole * N + thread;
    while c < at.cols {
        assume(start + c < a.len() && c < x.len());
        sum = sum.plus(a[start + c].total().times(x[c].total()));
        c += step;
    }
    sum = joined_by_block::<Sum<T>>(sum);
    if !is_last_of_row::<Sum<T>>(sum, row, splits, partials, arrived) {
        return;
    }
    sum = joined_by_splits::<Sum<T>>(row, splits, partials);
    if thread_idx().x == 0 {
        y[row] = finished::<T>(sum, y, row, at.alpha, at.beta);
    }
}

/// Pack number `at`, or element number `at` if `N` is 1. The host has checked the shape, so no branch separates one load from the next.
#[gpu_fn]
pub fn loaded<T: GpuType, const N: usize>(x: &[T], packs: &[Pack<T, N>], at: usize) -> Pack<T, N> {
    if N == 1 {
        assume(at < x.len());
        Pack([x[at]; N])
    } else {
        assume(at < packs.len());
        packs[at]
    }
}

/// Adds the products of two packs.
#[gpu_fn]
fn with_products<T: Number, const N: usize>(sum: T::Total, a: Pack<T, N>, x: Pack<T, N>) -> T::Total {
    let mut total = sum;
    #[unroll]
    for j in 0..N {
        total = total.plus(a.0[j].total().times(x.0[j].total()));
    }
    total
}

/// The element of the output for its sum.
#[gpu_fn]
pub fn finished<T: Number>(sum: T::Total, y: &[T], i: usize, alpha: T::Total, beta: T::Total) -> T {
    let mut result = alpha.times(sum);
    if beta != T::Total::ZERO {
        result = result.plus(beta.times(y[i].total()));
    }
    result.cast::<T>()
}

/// Joins the sums of `threads` neighbouring threads. The first of them gets the results. Every thread of the block calls this once.
#[gpu_fn]
pub fn joined<T: Number, const ROWS: usize>(sums: [T::Total; ROWS], threads: u32) -> [T::Total; ROWS] {
    let mut of_warps = shared!([T::Total; WARPS * ROWS]);
    let mut sums = sums;
    #[unroll]
    for k in 0..ROWS {
        sums[k] = joined_by_lanes::<Sum<T>>(sums[k], threads.min(32));
    }
    if threads > 32 {
        let (warp, lane) = ((thread_idx().x / 32) as usize, thread_idx().x % 32);
        if lane == 0 {
            #[unroll]
            for k in 0..ROWS {
                of_warps[warp * ROWS + k] = sums[k];
            }
        }
        sync_threads();
        let thread = thread_idx().x % threads;
        if thread == 0 {
            for w in 1..threads as usize / 32 {
                #[unroll]
                for k in 0..ROWS {
                    sums[k] = sums[k].plus(of_warps[(warp + w) * ROWS + k]);
                }
            }
        }
    }
    sums
}
