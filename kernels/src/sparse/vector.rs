//! Products of a sparse matrix and a vector, a tile a block.

use warpsmith::prelude::*;

use super::Offset;
use super::sums::{HEAD, Scale, TAIL, part_in};
use super::tiles::{THREADS, Tile, row_end, tile_of};
use crate::number::{Number, Total};
use crate::products::gemv::finished;
use crate::reduction::Sum;
use crate::reduction::block::joined_by_lanes;

/// Items of a thread.
const ITEMS: usize = 8;
/// Items of a tile.
pub(super) const TILE: usize = ITEMS * THREADS as usize;
/// Products of a row that a lane adds, about.
const OF_LANE: u32 = 8;
/// Products of a lane that make a row a long one, which a warp takes.
const LONG: u32 = 64;
/// Elements of shared memory for the products: four are left out behind every 32, so lanes that add neighbouring rows use different banks.
const SPREAD: usize = TILE + TILE / 8;

/// Shared memory of a block, in bytes, for sums of type `S`.
pub(super) const fn shared_bytes<S>() -> usize {
    SPREAD * size_of::<S>() + (TILE / LONG as usize + 1) * size_of::<u32>()
}

/// `y[r] = alpha * sum of a[r, c] * x[c] + beta * y[r]`, for the rows that lie in one tile.
///
/// `starts` has the tiles' first rows, from [`csr_tiles`](super::csr_tiles()). The sum of a row that has begun before goes to the tile's
/// element of `heads`, and that of a row that ends later to that of `tails`.
#[gpu_kernel(launch_bounds(THREADS, 5), noalias)]
pub fn csr_times_vector<T: Number, I: Offset>(
    offsets: &[I],
    columns: &[u32],
    values: &[T],
    x: &[T],
    y: &mut [T],
    scale: Scale<T::Total>,
    starts: &[usize],
    heads: &mut [T::Total],
    tails: &mut [T::Total],
) {
    let mut products = shared!([T::Total; SPREAD]);
    let mut long_rows = shared!([u32; TILE / LONG as usize]);
    let mut long_count = shared!([u32; 1]);
    let (t, number) = (thread_idx().x % THREADS, block_idx().x as usize);
    let tile = tile_of(number, starts, offsets.len() - 1, columns.len(), TILE);
    if t == 0 {
        long_count[0] = 0;
    }
    if tile.to > tile.from {
        store_products::<T>(columns, values, x, tile, &mut products);
    }
    // The part of the row that ends later counts as a row, too. A tile has at most as many rows as items, and this one.
    let rows = (tile.last - tile.first).min(TILE) as u32 + 1;
    let lanes = ((tile.to - tile.from) as u32 / rows).div_ceil(OF_LANE).next_power_of_two().min(32);
    let (lane, step) = (t % lanes, THREADS / lanes);
    let mut k = t / lanes;
    // The offsets of a row are on their way while products are stored, and while the row before is added.
    let mut next = part_of_row::<I>(offsets, tile, k.min(rows - 1));
    sync_threads();
    let rounds = rows.div_ceil(step);
    for round in 0..rounds {
        let mut sum = T::Total::ZERO;
        let mut is_mine = false;
        let (from, to) = next;
        if round + 1 < rounds {
            next = part_of_row::<I>(offsets, tile, (k + step).min(rows - 1));
        }
        if k < rows {
            is_mine = lane == 0;
            if lanes < 32 && to > from + LONG * lanes {
                if is_mine {
                    let place = atomic_add(&mut long_count[0], 1);
                    long_rows[place] = k;
                }
                is_mine = false;
            } else {
                sum = sum_of::<T>(&products, from + lane, to, lanes);
            }
        }
        sum = joined_by_lanes::<Sum<T>>(sum, lanes);
        if is_mine {
            store::<T, I>(sum, tile, tile.first + k as usize, offsets, y, scale, heads, tails);
        }
        k += step;
    }
    sync_threads();
    for i in (t / 32..long_count[0]).step_by(THREADS as usize / 32) {
        let k = long_rows[i];
        let (from, to) = part_of_row::<I>(offsets, tile, k);
        let sum = joined_by_lanes::<Sum<T>>(sum_of::<T>(&products, from + t % 32, to, 32), 32);
        if t % 32 == 0 {
            store::<T, I>(sum, tile, tile.first + k as usize, offsets, y, scale, heads, tails);
        }
    }
}

/// Stores the sum of what the block's tile has of a row.
#[gpu_fn]
#[allow(clippy::too_many_arguments, reason = "the three places of a sum, and what decides on them")]
fn store<T: Number, I: Offset>(
    sum: T::Total,
    tile: Tile,
    row: usize,
    offsets: &[I],
    y: &mut [T],
    scale: Scale<T::Total>,
    heads: &mut [T::Total],
    tails: &mut [T::Total],
) {
    let number = block_idx().x as usize;
    let part = part_in::<I>(tile, row, offsets);
    if part == TAIL {
        tails[number] = sum;
    } else if part == HEAD {
        heads[number] = sum;
    } else {
        y[row] = finished::<T>(sum, y, row, scale.alpha, scale.beta);
    }
}

/// Stores the products of the tile's non-zeros. All loads of a kind are under way before the first of them is waited for.
#[gpu_fn]
fn store_products<T: Number>(columns: &[u32], values: &[T], x: &[T], tile: Tile, products: &mut [T::Total]) {
    let t = thread_idx().x % THREADS;
    let (first, count) = (tile.from + t as usize, (tile.to - tile.from) as u32);
    let mut at = [0u32; ITEMS];
    let mut factors = [T::ZERO; ITEMS];
    #[unroll]
    for i in 0..ITEMS {
        let z = first + i * THREADS as usize;
        if t + i as u32 * THREADS < count {
            assume(z < columns.len() && z < values.len());
            at[i] = columns[z];
            factors[i] = values[z];
        }
    }
    let mut last = at[0];
    #[unroll]
    for i in 1..ITEMS {
        last = last.max(at[i]);
    }
    debug_assert!(
        (last as usize) < x.len(),
        "a sparse matrix has a non-zero in a column that it does not have"
    );
    let mut elements = factors;
    #[unroll]
    for i in 0..ITEMS {
        assume((at[i] as usize) < x.len());
        elements[i] = x[at[i]];
    }
    #[unroll]
    for i in 0..ITEMS {
        let place = (spread(t) + i as u32 * spread(THREADS)) as usize;
        assume(place < products.len());
        products[place] = factors[i].total().times(elements[i].total());
    }
}

/// Where product number `i` of a tile is.
#[gpu_fn]
fn spread(i: u32) -> u32 {
    i + i / 32 * 4
}

/// The first of the tile's products that row number `k` of it has, and the first behind them.
#[gpu_fn]
fn part_of_row<I: Offset>(offsets: &[I], tile: Tile, k: u32) -> (u32, u32) {
    let row = tile.first + k as usize;
    let start = offsets[row].cast::<usize>();
    let end = if row < tile.last { row_end::<I>(offsets, row, start) } else { tile.to };
    let of_tile = |z: usize| (z.clamp(tile.from, tile.to) - tile.from) as u32;
    (of_tile(start), of_tile(end))
}

/// The sum of every `step`-th product from `from` to before `to`.
#[gpu_fn]
fn sum_of<T: Number>(products: &[T::Total], from: u32, to: u32, step: u32) -> T::Total {
    let mut sum = T::Total::ZERO;
    let mut i = from;
    while i + 3 * step < to {
        let (a, b) = (product::<T>(products, i), product::<T>(products, i + step));
        let (c, d) = (product::<T>(products, i + 2 * step), product::<T>(products, i + 3 * step));
        sum = sum.plus(a.plus(b).plus(c.plus(d)));
        i += 4 * step;
    }
    while i < to {
        sum = sum.plus(product::<T>(products, i));
        i += step;
    }
    sum
}

/// Product number `i` of a tile.
#[gpu_fn]
fn product<T: Number>(products: &[T::Total], i: u32) -> T::Total {
    assume((spread(i) as usize) < products.len());
    products[spread(i)]
}
