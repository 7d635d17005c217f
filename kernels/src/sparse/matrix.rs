//! Products of a sparse matrix and a dense one, a tile a group of lanes.

use warpsmith::prelude::*;

use super::Offset;
use super::sums::{HEAD, Scale, TAIL, part_in};
use super::tiles::{Start, THREADS, row_end, tile_of};
use crate::number::{Number, Total};
use crate::pack::Pack;
use crate::products::gemv::{finished, loaded};

/// Items of a tile.
pub(super) const TILE: usize = 128;

/// The dense matrices of a product, and how threads share them.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Dense {
    /// Rows of the dense factor, the columns of the sparse one.
    pub inner: usize,
    /// Columns of the dense factor and of the output.
    pub cols: usize,
    /// Elements from one row of the dense factor to the next.
    pub b_stride: usize,
    /// Elements from one row of the output to the next.
    pub c_stride: usize,
    /// Groups of lanes that share a tile's columns.
    pub parts: u32,
}

/// `c[r, j] = alpha * sum of a[r, k] * b[k, j] + beta * c[r, j]`, for the rows that lie in one tile.
///
/// `lanes` lanes take a tile, each `N` neighbouring columns, one pack of `packs` and `c_packs`, the
/// elements of `b` and `c`. If `N` is 1, these are unused.
/// `starts`, `heads` and `tails` are as in [`csr_times_vector`](super::csr_times_vector()), with `cols` elements for each tile.
#[gpu_kernel(launch_bounds(THREADS))]
pub fn csr_times_matrix<T: Number, I: Offset, C: Offset, const N: usize>(
    offsets: &[I],
    columns: &[C],
    values: &[T],
    b: &[T],
    packs: &[Pack<T, N>],
    c: &mut [T],
    c_packs: &mut [Pack<T, N>],
    dense: Dense,
    scale: Scale<T::Total>,
    starts: &[Start],
    heads: &mut [T::Total],
    tails: &mut [T::Total],
    #[comptime] lanes: u32,
    #[comptime] early: bool,
) {
    if early {
        grid_dependency_wait();
        launch_dependents();
    }
    let t = thread_idx().x % THREADS;
    let group = block_idx().x as usize * (THREADS / lanes) as usize + (t / lanes) as usize;
    let (number, of_tile) = (group / dense.parts as usize, group % dense.parts as usize);
    let pack = of_tile * lanes as usize + (t % lanes) as usize;
    if number + 1 >= starts.len() || pack * N >= dense.cols {
        return;
    }
    let tile = tile_of(number, starts);
    let mut z = tile.from;
    for row in tile.first..tile.last + 1 {
        let mut end = tile.to;
        if row < tile.last {
            end = row_end::<I>(offsets, row, offsets[row].cast::<usize>()).min(tile.to);
        }
        let mut sums = [T::Total::ZERO; N];
        while z + 4 <= end {
            sums = with_rows::<T, C, N, 4>(sums, columns, values, b, packs, dense, z, pack);
            z += 4;
        }
        while z < end {
            sums = with_rows::<T, C, N, 1>(sums, columns, values, b, packs, dense, z, pack);
            z += 1;
        }
        let (part, col) = (part_in::<I>(tile, row, offsets), pack * N);
        if part == TAIL {
            store_part::<T::Total, N>(sums, tails, number * dense.cols + col);
        } else if part == HEAD {
            store_part::<T::Total, N>(sums, heads, number * dense.cols + col);
        } else {
            let first = row * dense.c_stride + col;
            let mut results = Pack([T::ZERO; N]);
            #[unroll]
            for j in 0..N {
                results.0[j] = finished::<T>(sums[j], c, first + j, scale.alpha, scale.beta);
            }
            if N == 1 {
                c[first] = results.0[0];
            } else {
                c_packs[first / N] = results;
            }
        }
    }
}

/// Stores the sums of a row that tiles share, from element `first` on.
#[gpu_fn]
fn store_part<S: Num, const N: usize>(sums: [S; N], parts: &mut [S], first: usize) {
    #[unroll]
    for j in 0..N {
        parts[first + j] = sums[j];
    }
}

/// Adds the products of the `COUNT` non-zeros from number `z` on, whose loads are in flight together.
#[gpu_fn]
#[allow(clippy::too_many_arguments, reason = "the arguments of the kernel")]
fn with_rows<T: Number, C: Offset, const N: usize, const COUNT: usize>(
    sums: [T::Total; N],
    columns: &[C],
    values: &[T],
    b: &[T],
    packs: &[Pack<T, N>],
    dense: Dense,
    z: usize,
    pack: usize,
) -> [T::Total; N] {
    let mut at = [0usize; COUNT];
    let mut factors = [T::Total::ZERO; COUNT];
    #[unroll]
    for i in 0..COUNT {
        assume(z + i < columns.len() && z + i < values.len());
        at[i] = columns[z + i].cast::<usize>();
        factors[i] = values[z + i].total();
    }
    let mut last = at[0];
    #[unroll]
    for i in 1..COUNT {
        last = last.max(at[i]);
    }
    debug_assert!(last < dense.inner, "a sparse matrix has a non-zero in a column that it does not have");
    let mut rows = [Pack([T::ZERO; N]); COUNT];
    #[unroll]
    for i in 0..COUNT {
        rows[i] = loaded::<T, N>(b, packs, at[i] * dense.b_stride / N + pack);
    }
    let mut sums = sums;
    #[unroll]
    for i in 0..COUNT {
        #[unroll]
        for j in 0..N {
            sums[j] = sums[j].plus(factors[i].times(rows[i].0[j].total()));
        }
    }
    sums
}
