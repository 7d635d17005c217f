//! The kernel of run-length encodings: one pass over the elements, a tile a block.

use warpsmith::prelude::*;

use crate::reduction::Reduction;
use crate::scan::tiles::{LANES, THREADS, WARPS};
use crate::scan::{MOST_HALVES, Word, before_tile, before_warp, take_tile};

/// The runs that begin in some elements, and the elements since the last beginning.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct OpenRun {
    /// Number of runs that begin.
    pub begun: u64,
    /// Number of elements from the beginning of the last run on; all elements if none begins. It wraps around, as lengths do.
    pub length: u32,
}

/// Joins consecutive elements. An element is whether a run begins with it.
struct Runs;

#[gpu_impl]
impl Reduction for Runs {
    type Element = bool;
    type Partial = OpenRun;
    type Output = u64;

    fn nothing() -> OpenRun {
        OpenRun { begun: 0, length: 0 }
    }
    fn of(element: bool, _index: u64) -> OpenRun {
        OpenRun { begun: element as u64, length: 1 }
    }
    fn join(a: OpenRun, b: OpenRun) -> OpenRun {
        let length = if b.begun > 0 { b.length } else { a.length.wrapping_add(b.length) };
        OpenRun { begun: a.begun + b.begun, length }
    }
    fn output(partial: OpenRun, _count: u64) -> u64 {
        partial.begun
    }
}

#[gpu_impl]
impl Word for OpenRun {
    const HALVES: usize = 3;

    fn half(self, k: usize) -> u32 {
        if k < 2 { (self.begun >> (32 * k)) as u32 } else { self.length }
    }
    fn of_halves(halves: [u32; MOST_HALVES]) -> Self {
        OpenRun { begun: (halves[1] as u64) << 32 | halves[0] as u64, length: halves[2] }
    }
}

/// Writes the first element of each run of equal ones to `values`, the length of the run to `lengths`, as far as these fit, and the
/// number of runs to `count[0]`.
///
/// `ROUNDS` elements a thread. `words` has three words for each tile; they, `launch` and `next_tile` are as in
/// [`select_kernel`](super::select_kernel).
#[gpu_kernel(launch_bounds(THREADS), noalias)]
pub fn encode_kernel<T: GpuType + PartialEq, const ROUNDS: usize>(
    x: &[T],
    values: &mut [T],
    lengths: &mut [u32],
    count: &mut [u64],
    launch: u32,
    words: &mut [u64],
    next_tile: &mut [u32],
) {
    let mut staged = shared!([T; LANES * ROUNDS]);
    let mut beginnings = shared!([u32; LANES * ROUNDS]);
    let (t, lane) = (thread_idx().x % THREADS, thread_idx().x % 32);
    let tile = take_tile(next_tile);
    let tile_first = tile as usize * (LANES * ROUNDS);
    let warp_first = t / 32 * (32 * ROUNDS as u32);
    let in_tile = warp_first + lane;
    // Every tile has an element.
    assume(tile_first < x.len());
    let tile_len = (LANES * ROUNDS).min(x.len() - tile_first) as u32;

    let mut elements = [x[tile_first]; ROUNDS];
    let mut ranks = [0u32; ROUNDS];
    let mut begins = 0u32;
    let mut of_warp = Runs::nothing();
    #[unroll]
    for r in 0..ROUNDS {
        if in_tile + r as u32 * 32 < tile_len {
            elements[r] = x[tile_first + in_tile as usize + r * 32];
        }
    }
    #[unroll]
    for r in 0..ROUNDS {
        let at = in_tile + r as u32 * 32;
        let i = tile_first + at as usize;
        if at < tile_len && (i == 0 || elements[r] != x[i - 1]) {
            begins |= 1 << r;
        }
    }
    #[unroll]
    for r in 0..ROUNDS {
        let votes = ballot(begins >> r & 1 == 1);
        ranks[r] = of_warp.begun as u32 + (votes & lanemask_lt()).count_ones();
        let exist = tile_len.saturating_sub(warp_first + r as u32 * 32).min(32);
        let since = if votes == 0 { exist } else { exist - (31 - votes.leading_zeros()) };
        of_warp = Runs::join(of_warp, OpenRun { begun: votes.count_ones() as u64, length: since });
    }

    let warps = before_warp::<Runs, WARPS>(of_warp);
    #[unroll]
    for r in 0..ROUNDS {
        if begins >> r & 1 == 1 {
            let rank = warps.before.begun as u32 + ranks[r];
            staged[rank] = elements[r];
            beginnings[rank] = in_tile + r as u32 * 32;
        }
    }
    let before = before_tile::<Runs>(warps.all, tile, launch, words);
    let runs = warps.all.begun as u32;
    let first_run = before.begun as usize;
    for k in (t..runs).step_by(LANES) {
        let at = first_run + k as usize;
        if at < values.len() {
            values[at] = staged[k];
        }
        // The last run may go on in the next tile, which then writes its length.
        if k + 1 < runs && at < lengths.len() {
            lengths[at] = beginnings[k + 1] - beginnings[k];
        }
    }
    if t == 0 {
        if runs > 0 && first_run > 0 && first_run - 1 < lengths.len() {
            lengths[first_run - 1] = before.length.wrapping_add(beginnings[0]);
        }
        if tile == grid_dim().x - 1 {
            let end = Runs::join(before, warps.all);
            count[0] = end.begun;
            let last = end.begun as usize - 1;
            if last < lengths.len() {
                lengths[last] = end.length;
            }
        }
    }
}
