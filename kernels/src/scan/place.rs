//! Tiles of packs: where a thread's elements lie, and how they are loaded.
//!
//! A warp's elements are consecutive, and so are those of each of its loads. If the memory does not begin with a pack, the first tile
//! begins at the pack that would contain the elements before the first one.

use warpsmith::prelude::*;

use super::tiles::{LANES, THREADS};
use crate::pack::Pack;

/// The position of a thread's elements: of the first element of its first pack, and of the tile.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Place {
    /// Number of the thread's first pack. `usize::MAX` is the one before all packs.
    pub pack: usize,
    /// Number of the tile's first element.
    pub tile_first: usize,
    /// Number of the tile's elements.
    pub tile_len: u32,
    /// The thread's first element, counted from the tile's first. It wraps around to a number beyond the tile for elements that the
    /// first tile lacks.
    pub at: u32,
    /// Whether all elements of the tile exist, in packs.
    pub is_whole: bool,
}

/// The number of tiles for `len` elements, of which `head` lie before the first pack. A thread has `rounds` packs of `n`.
pub const fn tiles(len: usize, head: usize, n: usize, rounds: usize) -> usize {
    (len + missing(head, n)).div_ceil(LANES * n * rounds)
}

/// Elements that the pack before all packs lacks.
const fn missing(head: usize, n: usize) -> usize {
    if head > 0 { n - head } else { 0 }
}

/// The place of a thread whose block has a tile of `ROUNDS` packs of `N` elements a thread.
///
/// There are `len` elements: `head`, and then `packs` packs, and then those that fill no pack. If there are no packs, elements are
/// loaded one by one.
#[gpu_fn]
pub fn placed<const N: usize, const ROUNDS: usize>(
    tile: u32,
    len: usize,
    head: usize,
    packs: usize,
) -> Place {
    let t = thread_idx().x % THREADS;
    let in_tile = t / 32 * (32 * ROUNDS as u32) + t % 32;
    let packs_of_tile = LANES * ROUNDS;
    let skipped = if head > 0 { 1 } else { 0 };
    let lacks = if tile == 0 && head > 0 { N - head } else { 0 };
    let tile_first = if tile > 0 { (tile as usize * packs_of_tile - skipped) * N + head } else { 0 };
    // Every tile has an element.
    assume(tile_first < len);
    Place {
        pack: (tile as usize * packs_of_tile + in_tile as usize).wrapping_sub(skipped),
        tile_first,
        tile_len: (packs_of_tile * N - lacks).min(len - tile_first) as u32,
        at: (in_tile * N as u32).wrapping_sub(lacks as u32),
        is_whole: (tile > 0 || head == 0) && (tile as usize + 1) * packs_of_tile - skipped <= packs,
    }
}

/// The position in the tile of element `j` of a thread's pack number `round`.
#[gpu_fn]
pub fn in_tile<const N: usize>(place: Place, round: usize, j: usize) -> u32 {
    place.at.wrapping_add((round * (32 * N) + j) as u32)
}

/// The thread's elements of a tile.
#[gpu_fn]
pub fn loaded<T: GpuType, const N: usize, const ROUNDS: usize>(
    x: &[T],
    xs: &[Pack<T, N>],
    place: Place,
) -> [Pack<T, N>; ROUNDS] {
    if place.is_whole {
        loaded_whole::<T, N, ROUNDS>(xs, place)
    } else {
        loaded_ragged::<T, N, ROUNDS>(x, place)
    }
}

/// The thread's elements of a whole tile.
#[gpu_fn]
fn loaded_whole<T: GpuType, const N: usize, const ROUNDS: usize>(
    xs: &[Pack<T, N>],
    place: Place,
) -> [Pack<T, N>; ROUNDS] {
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
fn loaded_ragged<T: GpuType, const N: usize, const ROUNDS: usize>(
    x: &[T],
    place: Place,
) -> [Pack<T, N>; ROUNDS] {
    assume(place.tile_first < x.len());
    let mut elements = [Pack([x[place.tile_first]; N]); ROUNDS];
    #[unroll]
    for r in 0..ROUNDS {
        #[unroll]
        for j in 0..N {
            let at = in_tile::<N>(place, r, j);
            let i = place.tile_first + at as usize;
            if at < place.tile_len && i < x.len() {
                elements[r].0[j] = x[i];
            }
        }
    }
    elements
}
