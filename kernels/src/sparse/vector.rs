//! Products of a sparse matrix and a vector, a tile a block.

use warpsmith::prelude::*;

use super::Offset;
use super::sums::Scale;
use super::tiles::{Start, THREADS, Tile, tile_of};
use crate::number::{Number, Total};
use crate::pack::Pack;
use crate::products::gemv::finished;
use crate::reduction::Sum;
use crate::reduction::block::joined_by_lanes;

/// Items of a thread.
const ITEMS: usize = 12;
/// Non-zeros that a thread loads at a time.
const QUAD: usize = 4;
/// Places for the products of a tile.
const PLACES: usize = ITEMS * THREADS as usize;
/// Non-zeros of a row that tiles do not share.
pub(super) const SPARED: usize = 256;
/// Items of a tile: it may get the rest of a row, and its first quad may begin before it.
pub(super) const TILE: usize = PLACES - SPARED - QUAD;
/// Products of a row that a lane adds, about.
const OF_LANE: u32 = 8;
/// Products of a lane that make a row a long one, which a warp takes.
const LONG: u32 = 64;
/// Elements of shared memory for the products: four are left out behind every 32, so lanes that add neighbouring rows use different banks.
const SPREAD: usize = PLACES + PLACES / 8;

/// Blocks of a multiprocessor, with this number of values in a pack: those of eight bytes need more registers.
pub const fn resident(values: usize) -> u32 {
    if values == 2 { 3 } else { 5 }
}

/// Shared memory of a block, in bytes, for sums of type `S`.
pub(super) const fn shared_bytes<S>() -> usize {
    SPREAD * size_of::<S>() + (PLACES + 1 + PLACES / LONG as usize) * size_of::<u16>() + size_of::<u32>()
}

/// The rows of a block, with what decides where their sums go.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Rows {
    tile: Tile,
    /// Number of the rows that end in the tile.
    ending: u32,
    /// Whether the first row has begun before.
    is_cut: bool,
}

/// `y[r] = alpha * sum of a[r, c] * x[c] + beta * y[r]`, for the rows that lie in one tile.
///
/// `starts` are the tiles' beginnings, from [`csr_tiles`](super::csr_tiles()). The sum of a row that has begun before goes to the tile's
/// element of `heads`, and that of a row that ends later to that of `tails`. If `in_packs`, columns and values are loaded from
/// `column_packs` and `value_packs`, which begin with the first of them.
#[gpu_kernel(launch_bounds(THREADS, { resident(NV) }), noalias)]
pub fn csr_times_vector<T: Number, I: Offset, C: Offset, const NV: usize, const NC: usize>(
    offsets: &[I],
    columns: &[C],
    column_packs: &[Pack<C, NC>],
    values: &[T],
    value_packs: &[Pack<T, NV>],
    x: &[T],
    y: &mut [T],
    scale: Scale<T::Total>,
    starts: &[Start],
    heads: &mut [T::Total],
    tails: &mut [T::Total],
    #[comptime] in_packs: bool,
    #[comptime] early: bool,
) {
    let mut products = shared!([T::Total; SPREAD], align = 16);
    let mut ends = shared!([u16; PLACES + 1]);
    let mut long_rows = shared!([u16; PLACES / LONG as usize]);
    let mut long_count = shared!([u32; 1]);
    if early {
        grid_dependency_wait();
        launch_dependents();
    }
    let t = thread_idx().x % THREADS;
    let tile = tile_of(block_idx().x as usize, starts);
    let count = (tile.to - tile.from).min(TILE + SPARED) as u32;
    let ending = (tile.last - tile.first).min(PLACES) as u32;
    let rows = Rows { tile, ending, is_cut: offsets[tile.first].cast::<usize>() < tile.from };
    // The tile's products are behind those of the quad in which it begins.
    let before = if in_packs { tile.from as u32 % QUAD as u32 } else { 0 };
    let end = before + count;
    if t == 0 {
        long_count[0] = 0;
        ends[0] = before as u16;
    }
    if count > 0 && in_packs {
        let first = tile.from / QUAD;
        let mut at = [C::ZERO; ITEMS];
        let mut factors = [T::ZERO; ITEMS];
        #[unroll]
        for i in 0..ITEMS / QUAD {
            let quad = t + i as u32 * THREADS;
            let z = first + quad as usize;
            if quad * (QUAD as u32) < end && z < columns.len() / QUAD {
                let (of_columns, of_values) =
                    (quad_of::<C, NC>(column_packs, z), quad_of::<T, NV>(value_packs, z));
                #[unroll]
                for j in 0..QUAD {
                    at[i * QUAD + j] = of_columns[j];
                    factors[i * QUAD + j] = of_values[j];
                }
            }
        }
        let elements = gathered::<T, C>(x, &at);
        store_ends::<I>(offsets, rows, before, count, &mut ends);
        #[unroll]
        for i in 0..ITEMS / QUAD {
            let mut of_quad = Pack([T::Total::ZERO; QUAD]);
            #[unroll]
            for j in 0..QUAD {
                of_quad.0[j] = factors[i * QUAD + j].total().times(elements[i * QUAD + j].total());
            }
            let place = spread((t + i as u32 * THREADS) * QUAD as u32) as usize;
            assume(place < products.len());
            let quad = &mut products[place] as *mut T::Total as *mut Pack<T::Total, QUAD>;
            // SAFETY: quads are spread as a whole, from multiples of their size on.
            unsafe { *quad = of_quad };
        }
        // The last non-zeros of the matrix fill no quad. A quad that is not loaded has stored zeros in their places.
        let whole = columns.len() / QUAD * QUAD;
        if tile.to > whole {
            sync_threads();
            let z = whole + t as usize;
            if z < columns.len() {
                let place = spread((z - first * QUAD) as u32) as usize;
                assume(place < products.len());
                products[place] = gathered_one::<T, C>(columns, values, x, z);
            }
        }
    } else {
        let mut at = [C::ZERO; ITEMS];
        let mut factors = [T::ZERO; ITEMS];
        #[unroll]
        for i in 0..ITEMS {
            let z = tile.from + (t + i as u32 * THREADS) as usize;
            if t + (i as u32) * THREADS < count {
                assume(z < columns.len() && z < values.len());
                at[i] = columns[z];
                factors[i] = values[z];
            }
        }
        if count > 0 {
            let elements = gathered::<T, C>(x, &at);
            #[unroll]
            for i in 0..ITEMS {
                let place = (spread(t) + i as u32 * spread(THREADS)) as usize;
                assume(place < products.len());
                products[place] = factors[i].total().times(elements[i].total());
            }
        }
        store_ends::<I>(offsets, rows, before, count, &mut ends);
    }
    // The part of the row that ends later counts as a row, too.
    let log = (count / (ending + 1)).div_ceil(OF_LANE).next_power_of_two().min(32).trailing_zeros();
    let (lanes, step) = (1u32 << log, THREADS >> log);
    let (lane, mut k) = (t & (lanes - 1), t >> log);
    sync_threads();
    for _ in 0..(ending + step) >> (THREADS.trailing_zeros() - log) {
        let mut sum = T::Total::ZERO;
        let mut is_mine = false;
        if k <= ending {
            let (from, to) = part_of_row(&ends, rows, k, end);
            is_mine = lane == 0;
            if lanes < 32 && to - from > LONG << log {
                if is_mine {
                    let place = atomic_add(&mut long_count[0], 1);
                    long_rows[place] = k as u16;
                }
                is_mine = false;
            } else {
                sum = sum_of::<T>(&products, from + lane, to, lanes);
            }
        }
        sum = joined_by_lanes::<Sum<T>>(sum, lanes);
        if is_mine {
            store::<T>(sum, rows, k, y, scale, heads, tails);
        }
        k += step;
    }
    sync_threads();
    for i in (t / 32..long_count[0]).step_by(THREADS as usize / 32) {
        let k = long_rows[i] as u32;
        let (from, to) = part_of_row(&ends, rows, k, end);
        let sum = joined_by_lanes::<Sum<T>>(sum_of::<T>(&products, from + t % 32, to, 32), 32);
        if t.is_multiple_of(32) {
            store::<T>(sum, rows, k, y, scale, heads, tails);
        }
    }
}

/// Stores the sum of what the block's tile has of row number `k`.
#[gpu_fn]
fn store<T: Number>(
    sum: T::Total,
    rows: Rows,
    k: u32,
    y: &mut [T],
    scale: Scale<T::Total>,
    heads: &mut [T::Total],
    tails: &mut [T::Total],
) {
    let number = block_idx().x as usize;
    if k == rows.ending {
        tails[number] = sum;
    } else if k == 0 && rows.is_cut {
        heads[number] = sum;
    } else {
        let row = rows.tile.first + k as usize;
        y[row] = finished::<T>(sum, y, row, scale.alpha, scale.beta);
    }
}

/// Four neighbours, in packs of `N`.
#[gpu_fn]
fn quad_of<T: Num, const N: usize>(packs: &[Pack<T, N>], z: usize) -> [T; QUAD] {
    let mut quad = [T::ZERO; QUAD];
    #[unroll]
    for i in 0..QUAD / N {
        assume(z * (QUAD / N) + i < packs.len());
        let pack = packs[z * (QUAD / N) + i];
        #[unroll]
        for j in 0..N {
            quad[i * N + j] = pack.0[j];
        }
    }
    quad
}

/// The elements of `x` in these columns.
#[gpu_fn]
fn gathered<T: Number, C: Number>(x: &[T], at: &[C; ITEMS]) -> [T; ITEMS] {
    let mut last = at[0];
    #[unroll]
    for i in 1..ITEMS {
        last = last.greater(at[i]);
    }
    debug_assert!(
        last.cast::<usize>() < x.len(),
        "a sparse matrix has a non-zero in a column that it does not have"
    );
    let mut elements = [T::ZERO; ITEMS];
    #[unroll]
    for i in 0..ITEMS {
        let column = at[i].cast::<usize>();
        assume(column < x.len());
        elements[i] = x[column];
    }
    elements
}

/// The product of one non-zero.
#[gpu_fn]
fn gathered_one<T: Number, C: Offset>(columns: &[C], values: &[T], x: &[T], z: usize) -> T::Total {
    let at = columns[z].cast::<usize>();
    debug_assert!(at < x.len(), "a sparse matrix has a non-zero in a column that it does not have");
    values[z].total().times(x[at].total())
}

/// Where product number `i` of a tile is.
#[gpu_fn]
fn spread(i: u32) -> u32 {
    i + i / 32 * 4
}

/// Stores where the products of the tile's rows end.
#[gpu_fn]
fn store_ends<I: Offset>(offsets: &[I], rows: Rows, before: u32, count: u32, ends: &mut [u16]) {
    let mut k = thread_idx().x % THREADS;
    while k < rows.ending {
        let end = offsets[rows.tile.first + k as usize + 1].cast::<usize>().wrapping_sub(rows.tile.from);
        debug_assert!(end <= count as usize, "the offsets of a sparse matrix never fall");
        ends[k + 1] = (before + end as u32) as u16;
        k += THREADS;
    }
}

/// The first of the products that row number `k` of the tile has, and the first behind them.
#[gpu_fn]
fn part_of_row(ends: &[u16], rows: Rows, k: u32, end: u32) -> (u32, u32) {
    let from = ends[k] as u32;
    let mut to = end;
    if k < rows.ending {
        to = ends[k + 1] as u32;
    }
    // Beyond `end` are places that no thread has stored, if one of them has met an end there and reported it.
    debug_assert!(from <= to && to <= end, "the offsets of a sparse matrix never fall");
    (from, to)
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
