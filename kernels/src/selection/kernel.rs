//! The kernel of selections: one pass over the elements, a tile a block.

use warpsmith::prelude::*;

use super::Selector;
use super::ranks::{
    before_in_round, first_written, marked, marked_by_words, of_round, of_warp, ranked, taken,
};
use crate::pack::Pack;
use crate::reduction::OwnSum;
use crate::scan::place::{in_tile, loaded, placed};
use crate::scan::tiles::{LANES, THREADS, WARPS};
use crate::scan::{Tiles, announce, before_tile, before_warp, take_tile};

/// Blocks that run on a multiprocessor at once, if a thread has `elements` elements: the most that have registers for them.
const fn blocks(elements: usize) -> u32 {
    if elements <= 32 { 4 } else { 1 }
}

/// Sets the count of an empty input.
#[gpu_kernel]
pub fn zero_count(count: &mut [u64]) {
    if global_id() == 0 {
        count[0] = 0;
    }
}

/// Writes the elements that `S` takes to the front of `y`, in their order, as far as they fit, and their number to `count[0]`.
///
/// If it `keeps_others`, the other elements are written from the back of `y` on, in reverse order; `y` is then as long as `x`.
///
/// Each thread has `ROUNDS` packs of `N` elements. `xs` has the elements of `x` from number `at.head` on, or nothing, and then elements
/// are loaded one by one. `flag_words` has the flags of the elements of `xs` if these `are_bytes`. `words` has a word for each tile, or two
/// if the input `is_long`: 2^32 elements or more. They are zero before the first launch. `next_tile` is zero before and after each launch.
#[gpu_kernel(launch_bounds(THREADS, { blocks(N * ROUNDS) }), noalias)]
pub fn select_kernel<S: Selector, const N: usize, const ROUNDS: usize>(
    x: &[S::Element],
    xs: &[Pack<S::Element, N>],
    flags: &[S::Flag],
    flag_words: &[u32],
    setting: S::Setting,
    y: &mut [S::Element],
    count: &mut [u64],
    at: Tiles,
    words: &mut [u64],
    next_tile: &mut [u32],
    #[comptime] are_bytes: bool,
    #[comptime] is_long: bool,
    #[comptime] keeps_others: bool,
) {
    let mut staged = shared!([S::Element; LANES * N * ROUNDS]);
    let tile = take_tile(next_tile);
    let place = placed::<N, ROUNDS>(tile, x.len(), at.head, xs.len());
    let elements = loaded::<S::Element, N, ROUNDS>(x, xs, place);
    let mut marks = 0u32;
    if S::FLAGGED {
        if are_bytes && place.is_whole {
            marks = marked_by_words::<N, ROUNDS>(flag_words, place);
        } else {
            marks = marked::<S::Flag, N, ROUNDS>(flags, place);
        }
    }
    let taken = taken::<S, N, ROUNDS>(&elements, x, marks, setting, place);
    let ranks = ranked::<N, ROUNDS>(taken.mask);
    let warps = before_warp::<OwnSum<u32>, WARPS>(of_warp::<N, ROUNDS>(ranks));
    // Numbers of half the size are one word for each tile.
    if is_long {
        announce::<OwnSum<u64>>(warps.all as u64, tile, at.launch, words);
    } else {
        announce::<OwnSum<u32>>(warps.all, tile, at.launch, words);
    }

    let mut of_rounds = warps.before;
    #[unroll]
    for r in 0..ROUNDS {
        let mut rank = of_rounds + before_in_round::<N>(ranks, r);
        #[unroll]
        for j in 0..N {
            if taken.mask >> (r * N + j) & 1 == 1 {
                assume((rank as usize) < LANES * N * ROUNDS);
                staged[rank] = elements[r].0[j];
                rank += 1;
            } else if keeps_others && taken.exists >> (r * N + j) & 1 == 1 {
                // The others fill the tile from its back.
                let other = in_tile::<N>(place, r, j) - rank;
                assume((other as usize) < LANES * N * ROUNDS);
                staged[(LANES * N * ROUNDS) as u32 - 1 - other] = elements[r].0[j];
            }
        }
        of_rounds += of_round::<N>(ranks, r);
    }

    let before = if is_long {
        before_tile::<OwnSum<u64>>(warps.all as u64, tile, at.launch, words) as usize
    } else {
        before_tile::<OwnSum<u32>>(warps.all, tile, at.launch, words) as usize
    };
    let fits = (warps.all as usize).min(y.len().saturating_sub(before)) as u32;
    let mut rank = first_written(before);
    while rank < fits {
        assume(before + (rank as usize) < y.len() && (rank as usize) < LANES * N * ROUNDS);
        y[before + rank as usize] = staged[rank];
        rank += THREADS;
    }
    if keeps_others {
        let end = y.len() - (place.tile_first - before);
        let mut other = first_written(end.wrapping_neg());
        while other < place.tile_len - warps.all {
            assume((other as usize) < end && (other as usize) < LANES * N * ROUNDS);
            y[end - 1 - other as usize] = staged[(LANES * N * ROUNDS) as u32 - 1 - other];
            other += THREADS;
        }
    }
    if thread_idx().x == 0 && tile == grid_dim().x - 1 {
        count[0] = before as u64 + warps.all as u64;
    }
}
