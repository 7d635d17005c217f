//! The kernel of scans: one pass over the elements, a tile a block.

use warpsmith::prelude::*;

use super::Word;
use super::look_back::warp_inclusive;
use super::look_back::{announce, before_tile, before_warp, take_tile};
use super::place::{Place, in_tile, loaded, placed};
use super::tiles::{THREADS, WARPS};
use crate::pack::Pack;
use crate::reduction::Reduction;

/// Blocks that run on a multiprocessor at once: the most that have registers for their elements.
const BLOCKS: u32 = 4;

/// The position of the tiles, and the number of the launch.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Tiles {
    /// Number of elements before the first pack. If it is not zero, the first tile begins at the pack that would contain them.
    pub head: usize,
    /// The number of the launch, from 1 on.
    pub launch: u32,
}

/// `y[i]` is the output for `x[0]` to `x[i]`, or to `x[i - 1]` if the scan is `exclusive`.
///
/// Each thread has `ROUNDS` packs of `N` elements. If `packed`, `xs` and `ys` are the elements of `x` and `y` from number `at.head` on,
/// otherwise they are unused. `words` has `R::Partial::HALVES` words for each tile, which are zero before the first launch. `next_tile`
/// is zero before and after each launch. `x` and `y` have the same length, and may be the same memory.
#[gpu_kernel(launch_bounds(THREADS, BLOCKS))]
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
    let lane = thread_idx().x % 32;
    let tile = take_tile(next_tile);
    let packs = if packed { xs.len().min(ys.len()) } else { 0 };
    let place = placed::<N, ROUNDS>(tile, x.len(), at.head, packs);
    let elements = loaded::<R::Element, N, ROUNDS>(x, xs, place);
    let mut befores = sums::<R, N, ROUNDS>(&elements, place);
    let of_warp = scan_warp::<R, ROUNDS>(&mut befores, lane);
    let warps = before_warp::<R, WARPS>(of_warp);
    announce::<R>(warps.all, tile, at.launch, words);
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

/// The sum of each pack.
#[gpu_fn]
fn sums<R: Reduction, const N: usize, const ROUNDS: usize>(
    elements: &[Pack<R::Element, N>; ROUNDS],
    place: Place,
) -> [R::Partial; ROUNDS] {
    let mut sums = [R::nothing(); ROUNDS];
    #[unroll]
    for r in 0..ROUNDS {
        #[unroll]
        for j in 0..N {
            let at = in_tile::<N>(place, r, j);
            if place.is_whole || at < place.tile_len {
                sums[r] = R::add(sums[r], elements[r].0[j], (place.tile_first + at as usize) as u64);
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
            let i = (place.tile_first + in_tile::<N>(place, r, j) as usize) as u64;
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
            let at = in_tile::<N>(place, r, j);
            let i = place.tile_first + at as usize;
            if at < place.tile_len && i < y.len() {
                let before = sum;
                sum = R::add(sum, elements[r].0[j], i as u64);
                y[i] = if exclusive { R::output(before, i as u64) } else { R::output(sum, i as u64 + 1) };
            }
        }
    }
}
