//! The kernel of scans: one pass over the elements, a tile a block.

use warpsmith::prelude::*;

use super::Word;
use super::look_back::{before_tile, publish};
use crate::pack::Pack;
use crate::reduction::Reduction;

/// Threads of a block.
pub const THREADS: u32 = 256;
/// Warps of a block.
pub const WARPS: u32 = THREADS / 32;

/// Blocks of a multiprocessor, for packs of so many elements: as many as have registers for their elements. Elements of eight bytes
/// have partial results of as many.
const fn blocks(per_pack: usize) -> u32 {
    if per_pack == 2 { 5 } else { 6 }
}

/// How elements lie in tiles.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Tiles {
    /// Elements before the first pack. If there are any, the first tile begins where a pack with them would.
    pub head: usize,
    /// The number of the launch, from 1 on.
    pub launch: u32,
}

/// Where a thread's elements are.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Place {
    /// The first pack; that before all is `usize::MAX`.
    pack: usize,
    /// Elements before the first pack of all.
    head: usize,
    /// The tile's first element.
    tile_first: usize,
    /// Whether the tile has all elements, in packs.
    is_whole: bool,
}

/// `y[i]` is the output for `x[0]` to `x[i]`, or to `x[i - 1]` if the scan is `exclusive`.
///
/// Each thread has `ROUNDS` packs of `N` elements. With `packed`, `xs` and `ys` have the elements of `x` and `y` from number
/// `at.head` on; without, they are empty. `words` has a word or two for each tile, zero before
/// the first launch; `next_tile` is zero before and after. `x` and `y` are equally long, and may be the same memory.
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
    let tile = taken[0];

    // A warp's elements are consecutive, and so is each of its loads.
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
    let carry = scan_warp::<R, ROUNDS>(&mut befores, lane);
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

/// The thread's elements, and the tile's first where there are none: other blocks may already have replaced theirs.
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

/// The index of an element; beyond all others if the first tile lacks it.
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

/// Makes the sum of each pack that of all before it in the warp; gives the sum of the warp.
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

/// Writes the outputs of a whole tile. `befores` are the sums of everything before the packs.
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

/// Writes the outputs of those elements that there are. `befores` are the sums of everything before the packs.
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
