//! The kernel of selections: one pass over the elements, a tile a block.

use warpsmith::prelude::*;

use super::Selector;
use crate::reduction::OwnSum;
use crate::scan::tiles::{LANES, THREADS, WARPS};
use crate::scan::{before_tile, before_warp, take_tile};

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
/// `ROUNDS` elements a thread. `words` has two words for each tile, which are zero before the first launch, and `launch` numbers the
/// launches from 1 on. `next_tile` is zero before and after each launch.
#[gpu_kernel(launch_bounds(THREADS), noalias)]
pub fn select_kernel<S: Selector, const ROUNDS: usize>(
    x: &[S::Element],
    flags: &[S::Flag],
    setting: S::Setting,
    y: &mut [S::Element],
    count: &mut [u64],
    launch: u32,
    words: &mut [u64],
    next_tile: &mut [u32],
    #[comptime] keeps_others: bool,
) {
    let mut staged = shared!([S::Element; LANES * ROUNDS]);
    let (t, lane) = (thread_idx().x % THREADS, thread_idx().x % 32);
    let tile = take_tile(next_tile);
    let tile_first = tile as usize * (LANES * ROUNDS);
    // Neighbouring lanes have neighbouring elements.
    let in_tile = t / 32 * (32 * ROUNDS as u32) + lane;
    // Every tile has an element.
    assume(tile_first < x.len());
    let tile_len = (LANES * ROUNDS).min(x.len() - tile_first) as u32;

    let mut elements = [x[tile_first]; ROUNDS];
    let mut ranks = [0u32; ROUNDS];
    let mut taken = 0u32;
    let mut of_warp = 0u32;
    #[unroll]
    for r in 0..ROUNDS {
        if in_tile + r as u32 * 32 < tile_len {
            elements[r] = x[tile_first + in_tile as usize + r * 32];
        }
    }
    #[unroll]
    for r in 0..ROUNDS {
        let at = in_tile + r as u32 * 32;
        if at < tile_len && S::takes(elements[r], tile_first + at as usize, x, flags, setting) {
            taken |= 1 << r;
        }
    }
    #[unroll]
    for r in 0..ROUNDS {
        let votes = ballot(taken >> r & 1 == 1);
        ranks[r] = of_warp + (votes & lanemask_lt()).count_ones();
        of_warp += votes.count_ones();
    }

    let warps = before_warp::<OwnSum<u32>, WARPS>(of_warp);
    #[unroll]
    for r in 0..ROUNDS {
        let at = in_tile + r as u32 * 32;
        let rank = warps.before + ranks[r];
        if taken >> r & 1 == 1 {
            staged[rank] = elements[r];
        } else if keeps_others && at < tile_len {
            // The others fill the tile from its back.
            staged[(LANES * ROUNDS) as u32 - 1 - (at - rank)] = elements[r];
        }
    }
    let before = before_tile::<OwnSum<u64>>(warps.all as u64, tile, launch, words) as usize;
    for k in (t..warps.all).step_by(LANES) {
        if before + (k as usize) < y.len() {
            y[before + k as usize] = staged[k];
        }
    }
    if keeps_others {
        let end = y.len() - (tile_first - before);
        for k in (t..tile_len - warps.all).step_by(LANES) {
            y[end - 1 - k as usize] = staged[(LANES * ROUNDS) as u32 - 1 - k];
        }
    }
    if t == 0 && tile == grid_dim().x - 1 {
        count[0] = before as u64 + warps.all as u64;
    }
}
