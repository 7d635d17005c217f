//! The kernel of scans: one pass over the elements, a tile a block.

use warpsmith::prelude::*;

use super::Word;
use super::look_back::{before_tile, publish};
use crate::pack::Pack;
use crate::reduction::Reduction;

/// Threads of a block.
pub const THREADS: u32 = 256;
/// Elements of a thread.
pub const ITEMS: usize = 16;
/// Elements of a tile.
pub const TILE: usize = THREADS as usize * ITEMS;
/// Warps of a block.
pub const WARPS: u32 = THREADS / 32;

/// How elements lie in tiles.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Tiles {
    /// Number of elements.
    pub len: usize,
    /// Elements that the first tile lacks at its beginning; all others then begin with a pack.
    pub missing: usize,
    /// The number of the launch, from 1 on.
    pub launch: u32,
}

/// Where a thread's elements are. They are counted with those that the first tile lacks.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Place {
    /// The first element.
    first: usize,
    /// Its pack.
    first_pack: usize,
    /// Whether the tile has all elements, in packs.
    is_whole: bool,
}

/// `y[i]` is the output for `x[0]` to `x[i]`, or to `x[i - 1]` if the scan is `exclusive`.
///
/// Each thread has `ROUNDS` times `N` elements, [`ITEMS`] in all. With `packed`, `xs` and `ys` have the elements of `x` and `y` from number
/// `N - missing` on, or from the first on if none is missing; without, they are empty. `words` has a word or two for each tile, zero before
/// the first launch; `next_tile` is zero before and after. `x` and `y` may be the same memory.
#[gpu_kernel(launch_bounds(THREADS))]
pub fn scan_kernel<R: Reduction, const N: usize, const ROUNDS: usize>(
    x: &[R::Element],
    xs: &[Pack<R::Element, N>],
    y: &mut [R::Output],
    ys: &mut [Pack<R::Output, N>],
    at: Tiles,
    words: &mut [u64],
    next_tile: &mut [u32],
    #[comptime] packed: bool,
    #[comptime] exclusive: bool,
) where
    R::Partial: Word,
{
    let mut taken = shared!([u32; 1]);
    let mut of_warps = shared!([R::Partial; WARPS]);
    let mut before_all = shared!([R::Partial; 1]);
    let t = thread_idx().x % THREADS;
    let (warp, lane) = (t / 32, t % 32);
    if t == 0 {
        // Blocks take tiles in the order in which they start, so none waits for a block that has not.
        taken[0] = atomic_inc(&mut next_tile[0], grid_dim().x - 1);
    }
    sync_threads();
    let tile = taken[0] as usize;

    // A warp's elements are consecutive, and so is each of its loads.
    let skipped = if at.missing > 0 { N } else { 0 };
    let first = tile * TILE + warp as usize * (32 * ITEMS) + lane as usize * N;
    let place = Place {
        first,
        first_pack: (first.max(skipped) - skipped) / N,
        is_whole: packed && tile * TILE >= at.missing && (tile + 1) * TILE <= at.len + at.missing,
    };
    let mut values = loaded::<R, N, ROUNDS>(x, xs, at, place);
    let carry = scan_warp::<R, N, ROUNDS>(&mut values, lane, exclusive);
    if lane == 0 {
        of_warps[warp] = carry;
    }
    sync_threads();

    let mut before_warp = R::nothing();
    let mut of_tile = R::nothing();
    #[unroll]
    for w in 0..WARPS {
        if w == warp {
            before_warp = of_tile;
        }
        of_tile = R::join(of_tile, of_warps[w]);
    }
    if warp == 0 {
        if lane == 0 && tile > 0 {
            publish::<R::Partial>(words, tile, at.launch, false, of_tile);
        }
        let before = before_tile::<R>(words, tile, at.launch, lane);
        if lane == 0 {
            publish::<R::Partial>(words, tile, at.launch, true, R::join(before, of_tile));
            before_all[0] = before;
        }
    }
    sync_threads();
    let before = R::join(before_all[0], before_warp);
    let count = if exclusive { 0 } else { 1 };
    #[unroll]
    for k in 0..ITEMS {
        values[k] = R::join(before, values[k]);
    }
    stored::<R, N, ROUNDS>(values, y, ys, at, place, count);
}

/// The thread's elements as partial results, and nothing where there are none.
#[gpu_fn]
fn loaded<R: Reduction, const N: usize, const ROUNDS: usize>(
    x: &[R::Element],
    xs: &[Pack<R::Element, N>],
    at: Tiles,
    place: Place,
) -> [R::Partial; ITEMS] {
    let mut values = [R::nothing(); ITEMS];
    if place.is_whole {
        let mut packs = [xs[place.first_pack]; ROUNDS];
        #[unroll]
        for r in 1..ROUNDS {
            packs[r] = xs[place.first_pack + r * 32];
        }
        #[unroll]
        for r in 0..ROUNDS {
            #[unroll]
            for j in 0..N {
                let i = place.first + r * (32 * N) + j - at.missing;
                values[r * N + j] = R::of(packs[r].0[j], i as u64);
            }
        }
    } else {
        #[unroll]
        for r in 0..ROUNDS {
            #[unroll]
            for j in 0..N {
                let i = place.first + r * (32 * N) + j;
                if i >= at.missing && i - at.missing < at.len {
                    values[r * N + j] = R::of(x[i - at.missing], (i - at.missing) as u64);
                }
            }
        }
    }
    values
}

/// Makes each value the sum from the beginning of the warp's elements on; gives the sum of all of them.
#[gpu_fn]
fn scan_warp<R: Reduction, const N: usize, const ROUNDS: usize>(
    values: &mut [R::Partial; ITEMS],
    lane: u32,
    exclusive: bool,
) -> R::Partial {
    let mut carry = R::nothing();
    #[unroll]
    for r in 0..ROUNDS {
        let mut sum = R::nothing();
        #[unroll]
        for j in 0..N {
            let through = R::join(sum, values[r * N + j]);
            values[r * N + j] = if exclusive { sum } else { through };
            sum = through;
        }
        let through = warp_inclusive::<R>(sum, lane);
        let below = shfl_up(through, 1);
        let before = if lane > 0 { R::join(carry, below) } else { carry };
        #[unroll]
        for j in 0..N {
            values[r * N + j] = R::join(before, values[r * N + j]);
        }
        carry = R::join(carry, shfl(through, 31));
    }
    carry
}

/// Writes the outputs of the thread's values, of which the one of element `i` has `i + count` elements.
#[gpu_fn]
fn stored<R: Reduction, const N: usize, const ROUNDS: usize>(
    values: [R::Partial; ITEMS],
    y: &mut [R::Output],
    ys: &mut [Pack<R::Output, N>],
    at: Tiles,
    place: Place,
    count: usize,
) {
    #[unroll]
    for r in 0..ROUNDS {
        let first = place.first + r * (32 * N);
        if place.is_whole {
            let elements = first - at.missing + count;
            let mut pack = Pack([R::output(values[r * N], elements as u64); N]);
            #[unroll]
            for j in 1..N {
                pack.0[j] = R::output(values[r * N + j], (elements + j) as u64);
            }
            ys[place.first_pack + r * 32] = pack;
        } else {
            #[unroll]
            for j in 0..N {
                let i = first + j;
                if i >= at.missing && i - at.missing < at.len {
                    let i = i - at.missing;
                    y[i] = R::output(values[r * N + j], (i + count) as u64);
                }
            }
        }
    }
}

/// The sum over the lanes up to and with the caller's.
#[gpu_fn]
fn warp_inclusive<R: Reduction>(value: R::Partial, lane: u32) -> R::Partial {
    let mut sum = value;
    #[unroll]
    for delta in [1, 2, 4, 8, 16u32] {
        let below = shfl_up(sum, delta);
        if lane >= delta {
            sum = R::join(below, sum);
        }
    }
    sum
}
