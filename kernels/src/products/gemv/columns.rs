//! Products of a matrix whose columns have their elements side by side, and a vector. Neighbouring threads take neighbouring rows.

use warpsmith::prelude::*;

use super::rows::{finished, loaded};
use crate::number::{Number, Total};
use crate::pack::Pack;
use crate::reduction::Sum;
use crate::reduction::block::THREADS;
use crate::reduction::columns::{Columns, is_last_of_tile, joined_by_splits};

/// Blocks that run on a multiprocessor at once.
pub const RESIDENT: u32 = 4;
/// Columns whose loads a thread has in flight.
const IN_FLIGHT: usize = 8;

/// `y[i] = alpha * sum of a[i, k] * x[k] + beta * y[i]`. The elements `(i, k)` lie as those of `at`, whose outer extent is one. A thread
/// takes `N` neighbouring rows: a pack, or one element if `N` is 1.
///
/// Blocks that share rows exchange sums in `partials` and `arrived`, as those of a [reduction](crate::reduction::columns_kernel()) do.
#[gpu_kernel(launch_bounds(THREADS, RESIDENT), noalias)]
pub fn gemv_columns<T: Number, const N: usize>(
    a: &[T],
    packs: &[Pack<T, N>],
    x: &[T],
    y: &mut [T],
    at: Columns,
    alpha: T::Total,
    beta: T::Total,
    partials: &mut [T::Total],
    arrived: &mut [u32],
) {
    let t = thread_idx().x;
    let (column, line) = (t % at.width, (t / at.width) as usize);
    let lines = (THREADS / at.width) as usize;
    let (tile, split) = ((block_idx().x / at.splits) as usize, (block_idx().x % at.splits) as usize);
    let first = (tile * at.width as usize + column as usize) * N;
    let exists = first < at.inner;
    let part = at.n.div_ceil(at.splits as usize);
    let from = (split * part).min(at.n);
    let to = (from + part).min(at.n);

    let mut totals = [T::Total::ZERO; N];
    if exists {
        totals = of_columns::<T, N>(a, packs, x, at, [first, from + line, to, lines]);
    }
    totals = joined_by_lines::<T, N>(totals, at.width);
    if at.splits > 1 {
        if !is_last_of_tile::<Sum<T>, N>(totals, at, exists && line == 0, first, y.len(), partials, arrived) {
            return;
        }
        totals = joined_by_splits::<Sum<T>, N>(at, exists, first, y.len(), partials);
    }
    if exists && line == 0 {
        #[unroll]
        for j in 0..N {
            y[first + j] = finished::<T>(totals[j], y, first + j, alpha, beta);
        }
    }
}

/// Adds a thread's share of `N` rows from `first` on: every `lines`-th of the columns `from..to`. `share` is `[first, from, to, lines]`.
#[gpu_fn]
fn of_columns<T: Number, const N: usize>(
    a: &[T],
    packs: &[Pack<T, N>],
    x: &[T],
    at: Columns,
    share: [usize; 4],
) -> [T::Total; N] {
    let [first, from, to, lines] = share;
    let mut totals = [T::Total::ZERO; N];
    let mut k = from;
    // `N` divides all of these: packs are counted, or elements where it is 1.
    let mut p = (first + k * at.axis_stride) / N;
    let step = lines * at.axis_stride / N;
    while k + (IN_FLIGHT - 1) * lines < to {
        let mut columns = [loaded::<T, N>(a, packs, p); IN_FLIGHT];
        #[unroll]
        for i in 1..IN_FLIGHT {
            columns[i] = loaded::<T, N>(a, packs, p + i * step);
        }
        #[unroll]
        for i in 0..IN_FLIGHT {
            totals = with_column::<T, N>(totals, columns[i], x, k + i * lines);
        }
        k += IN_FLIGHT * lines;
        p += IN_FLIGHT * step;
    }
    while k < to {
        totals = with_column::<T, N>(totals, loaded::<T, N>(a, packs, p), x, k);
        k += lines;
        p += step;
    }
    totals
}

/// Adds the sums of a block's lines, which have `width` threads each. The first line gets the results.
#[gpu_fn]
fn joined_by_lines<T: Number, const N: usize>(totals: [T::Total; N], width: u32) -> [T::Total; N] {
    let mut kept = shared!([T::Total; THREADS as usize * N]);
    let t = thread_idx().x;
    let (column, lines) = (t % width, THREADS / width);
    #[unroll]
    for j in 0..N {
        kept[j as u32 * THREADS + t] = totals[j];
    }
    sync_threads();
    // Each line adds up some of the `N` rows of its column.
    let mut j = t / width;
    while j < N as u32 {
        let mut sum = kept[j * THREADS + column];
        for line in 1..lines {
            sum = sum.plus(kept[j * THREADS + line * width + column]);
        }
        kept[j * THREADS + column] = sum;
        j += lines;
    }
    sync_threads();
    let mut sums = totals;
    #[unroll]
    for j in 0..N {
        sums[j] = kept[j as u32 * THREADS + column];
    }
    sums
}

/// Adds the products of a column's elements and element `k` of `x`.
#[gpu_fn]
fn with_column<T: Number, const N: usize>(
    totals: [T::Total; N],
    column: Pack<T, N>,
    x: &[T],
    k: usize,
) -> [T::Total; N] {
    assume(k < x.len());
    let factor = x[k].total();
    let mut totals = totals;
    #[unroll]
    for j in 0..N {
        totals[j] = totals[j].plus(column.0[j].total().times(factor));
    }
    totals
}
