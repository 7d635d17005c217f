//! The kernel of scans: one pass over the elements, a tile a block.

use warpsmith::prelude::*;

use super::Word;
use super::look_back::{before_tile, before_warp, take_tile};
use crate::pack::Pack;
use crate::reduction::Reduction;

/// Threads of a block.
pub const THREADS: u32 = 256;
/// Warps of a block.
pub const WARPS: u32 = THREADS / 32;

/// Blocks that run on a multiprocessor at once, for packs of `per_pack` elements: the most that have registers for their elements.
/// Partial results of eight bytes, which come with packs of two, need more registers.
const fn blocks(per_pack: usize) -> u32 {
    if per_pack == 2 { 3 } else { 4 }
}

/// The position of the tiles, and the number of the launch.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Tiles {
    /// Number of elements before the first pack. If it is not zero, the first tile begins at the pack that would contain them.
    pub head: usize,
    /// The number of the launch, from 1 on.
    pub launch: u32,
}

/// The position of a thread's elements.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Place {
    /// Number of the first pack. `usize::MAX` is the one before all packs.
    pack: usize,
    /// Number of elements before the first pack of all.
    head: usize,
    /// Number of the tile's first element.
    tile_first: usize,
    /// Whether all elements of the tile exist, in packs.
    is_whole: bool,
}

/// `y[i]` is the output for `x[0]` to `x[i]`, or to `x[i - 1]` if the scan is `exclusive`.
///
/// Each thread has `ROUNDS` packs of `N` elements. If `packed`, `xs` and `ys` are the elements of `x` and `y` from number `at.head` on,
/// otherwise they are unused. `words` has `R::Partial::HALVES` words for each tile, which are zero before the first launch. `next_tile`
/// is zero before and after each launch. `x` and `y` have the same length, and may be the same memory.
#[gpu_kernel(launch_bounds(THREADS, { blocks(N) }))]
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
    let t = thread_idx().x % THREADS;
    let (warp, lane) = (t / 32, t % 32);
    let tile = take_tile(next_tile);

    // A warp's elements are consecutive, and so are those of each of its loads.
    let packs_of_tile = THREADS as usize * ROUNDS;
    let skipped = if at.head > 0 { 1 } else { 0 };
    let pack = tile as usize * packs_of_tile + (warp * (32 * ROUNDS as u32) + lane) as usize;
    let end = (tile as usize + 1) * packs_of_tile - skipped;
    let place = Place {
        pack: pack.wrapping_sub(skipped),
        head: at.head,
        tile_first: if tile > 0 { (tile as usize * packs_of_tile - skipped) * N + at.head } else { 0 },
        is_whole: packed && (tile > 0 || at.head == 0) && end <= xs.len() && end <= ys.len(),
    };
    let elements = if place.is_whole {
        loaded_whole::<R, N, ROUNDS>(xs, place)
    } else {
        loaded_ragged::<R, N, ROUNDS>(x, place)
    };
    let mut befores = sums::<R, N, ROUNDS>(&elements, x.len(), place);
    let of_warp = scan_warp::<R, ROUNDS>(&mut befores, lane);
    let warps = before_warp::<R, { WARPS as usize }>(of_warp);
    let before = R::join(before_tile::<R>(warps.all, tile, at.launch, words), warps.before);
    #[unroll]
    for r in 0..ROUNDS {
        befores[r] = R::join(before, befores[r]);
    }
    if place.is_whole {
        store_whole::<R, N, ROUNDS>(&elements, &befores, ys, place, exclusive);
    } else {
        store_ragged::<R, N, ROUNDS>(&elements, &befores, y, place, exclusive);
    }
}

/// The thread's elements of a whole tile.
#[gpu_fn]
fn loaded_whole<R: Reduction, const N: usize, const ROUNDS: usize>(
    xs: &[Pack<R::Element, N>],
    place: Place,
) -> [Pack<R::Element, N>; ROUNDS] {
    assume(place.pack < xs.len());
    let mut elements = [xs[place.pack]; ROUNDS];
    #[unroll]
    for r in 1..ROUNDS {
        // A whole tile ends before the packs do.
        assume(place.pack + r * 32 < xs.len());
        elements[r] = xs[place.pack + r * 32];
    }
    elements
}

/// The thread's elements. Where there are none, the tile's first stands in: those of other tiles may already be replaced.
#[gpu_fn]
fn loaded_ragged<R: Reduction, const N: usize, const ROUNDS: usize>(
    x: &[R::Element],
    place: Place,
) -> [Pack<R::Element, N>; ROUNDS] {
    // Every tile has an element.
    assume(place.tile_first < x.len());
    let mut elements = [Pack([x[place.tile_first]; N]); ROUNDS];
    #[unroll]
    for r in 0..ROUNDS {
        #[unroll]
        for j in 0..N {
            let i = index::<N>(place, r, j);
            if i < x.len() {
                elements[r].0[j] = x[i];
            }
        }
    }
    elements
}

/// The index of an element. It wraps around to a number beyond all elements for those that the first tile lacks.
#[gpu_fn]
fn index<const N: usize>(place: Place, round: usize, j: usize) -> usize {
    place.pack.wrapping_mul(N).wrapping_add(place.head + round * (32 * N) + j)
}

/// The sum of each pack.
#[gpu_fn]
fn sums<R: Reduction, const N: usize, const ROUNDS: usize>(
    elements: &[Pack<R::Element, N>; ROUNDS],
    len: usize,
    place: Place,
) -> [R::Partial; ROUNDS] {
    let mut sums = [R::nothing(); ROUNDS];
    #[unroll]
    for r in 0..ROUNDS {
        #[unroll]
        for j in 0..N {
            let i = index::<N>(place, r, j);
            if place.is_whole || i < len {
                sums[r] = R::add(sums[r], elements[r].0[j], i as u64);
            }
        }
    }
    sums
}

/// Replaces the sum of each pack by the sum of everything before it in the warp. Returns the sum of the warp.
#[gpu_fn]
fn scan_warp<R: Reduction, const ROUNDS: usize>(sums: &mut [R::Partial; ROUNDS], lane: u32) -> R::Partial {
    let mut carry = R::nothing();
    #[unroll]
    for r in 0..ROUNDS {
        let through = warp_inclusive::<R>(sums[r], lane);
        let below = shfl_up(through, 1);
        sums[r] = if lane > 0 { R::join(carry, below) } else { carry };
        carry = R::join(carry, shfl(through, 31));
    }
    carry
}

/// Writes the outputs of a whole tile. `befores` are the sums of everything before each pack.
#[gpu_fn]
fn store_whole<R: Reduction, const N: usize, const ROUNDS: usize>(
    elements: &[Pack<R::Element, N>; ROUNDS],
    befores: &[R::Partial; ROUNDS],
    ys: &mut [Pack<R::Output, N>],
    place: Place,
    exclusive: bool,
) {
    #[unroll]
    for r in 0..ROUNDS {
        let mut sum = befores[r];
        let mut outputs = Pack([R::output(sum, 0); N]);
        #[unroll]
        for j in 0..N {
            let i = index::<N>(place, r, j) as u64;
            if exclusive {
                outputs.0[j] = R::output(sum, i);
            }
            sum = R::add(sum, elements[r].0[j], i);
            if !exclusive {
                outputs.0[j] = R::output(sum, i + 1);
            }
        }
        assume(place.pack + r * 32 < ys.len());
        ys[place.pack + r * 32] = outputs;
    }
}

/// Writes the outputs of a tile's elements as far as they exist. `befores` are the sums of everything before each pack.
#[gpu_fn]
fn store_ragged<R: Reduction, const N: usize, const ROUNDS: usize>(
    elements: &[Pack<R::Element, N>; ROUNDS],
    befores: &[R::Partial; ROUNDS],
    y: &mut [R::Output],
    place: Place,
    exclusive: bool,
) {
    #[unroll]
    for r in 0..ROUNDS {
        let mut sum = befores[r];
        #[unroll]
        for j in 0..N {
            let i = index::<N>(place, r, j);
            if i < y.len() {
                let before = sum;
                sum = R::add(sum, elements[r].0[j], i as u64);
                y[i] = if exclusive { R::output(before, i as u64) } else { R::output(sum, i as u64 + 1) };
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
