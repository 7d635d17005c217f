//! Rows that tiles share: their parts joined, in a fixed order.

use warpsmith::prelude::*;

use super::Offset;
use super::sums::Scale;
use super::tiles::{Start, THREADS, tile_of};
use crate::number::{Number, Total};
use crate::products::gemv::finished;
use crate::reduction::Sum;
use crate::reduction::block::joined_by_block;

/// Tiles of a row that one thread joins. A block joins more.
const OF_THREAD: usize = 16;

/// What tiles have left, and where its sums go: `cols` elements for each tile, and for each row, `stride` elements apart.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Parts {
    /// Items of a tile.
    pub tile: usize,
    /// Columns of the output.
    pub cols: usize,
    /// Elements from one row of the output to the next.
    pub stride: usize,
}

/// For each row that tiles share, `y[r, c] = alpha * sum + beta * y[r, c]`, of the `tails` of its tiles and the element of `heads` of the last.
///
/// A thread has one column of the row that ends in one tile. `starts` are the tiles' beginnings.
#[gpu_kernel(launch_bounds(THREADS), noalias)]
pub fn join_cut_rows<T: Number, I: Offset>(
    offsets: &[I],
    starts: &[Start],
    heads: &[T::Total],
    tails: &[T::Total],
    y: &mut [T],
    scale: Scale<T::Total>,
    parts: Parts,
    #[comptime] early: bool,
) {
    if early {
        grid_dependency_wait();
        launch_dependents();
    }
    let mut long = shared!([u32; THREADS]);
    let mut long_count = shared!([u32; 1]);
    let t = thread_idx().x % THREADS;
    if t == 0 {
        long_count[0] = 0;
    }
    sync_threads();
    let of_block = block_idx().x as usize * THREADS as usize;
    let mine = of_block + t as usize;
    let begin = first_tile::<I>(offsets, starts, mine, parts);
    let tile = mine / parts.cols;
    if begin + OF_THREAD < tile {
        let place = atomic_add(&mut long_count[0], 1);
        long[place] = t;
    } else if begin < tile {
        let mut sum = T::Total::ZERO;
        for before in begin..tile {
            sum = sum.plus(tails[before * parts.cols + mine % parts.cols]);
        }
        store::<T>(sum, mine, starts, heads, y, scale, parts);
    }
    sync_threads();
    for i in 0..uniform(long_count[0]) {
        let of = of_block + uniform(long[i]) as usize;
        let begin = first_tile::<I>(offsets, starts, of, parts);
        let mut sum = T::Total::ZERO;
        let mut before = begin + t as usize;
        while before < of / parts.cols {
            sum = sum.plus(tails[before * parts.cols + of % parts.cols]);
            before += THREADS as usize;
        }
        sum = joined_by_block::<Sum<T>>(sum);
        if t == 0 {
            store::<T>(sum, of, starts, heads, y, scale, parts);
        }
        sync_threads();
    }
}

/// The tile in which the row of element number `of` begins, if it begins before its tile and ends there; otherwise that tile.
#[gpu_fn]
fn first_tile<I: Offset>(offsets: &[I], starts: &[Start], of: usize, parts: Parts) -> usize {
    let number = of / parts.cols;
    if number + 1 >= starts.len() {
        return number;
    }
    let tile = tile_of(number, starts);
    let start = offsets[tile.first].cast::<usize>();
    if tile.first < tile.last && start < tile.from { (start + tile.first) / parts.tile } else { number }
}

/// Adds the head of element number `of`, and stores the element of the output.
#[gpu_fn]
fn store<T: Number>(
    tails: T::Total,
    of: usize,
    starts: &[Start],
    heads: &[T::Total],
    y: &mut [T],
    scale: Scale<T::Total>,
    parts: Parts,
) {
    let place = starts[of / parts.cols].row * parts.stride + of % parts.cols;
    y[place] = finished::<T>(tails.plus(heads[of]), y, place, scale.alpha, scale.beta);
}
