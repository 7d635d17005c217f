//! The kernel of run-length encodings: one pass over the elements, a tile a block.

use warpsmith::prelude::*;

use super::Distinct;
use super::ranks::{MOST, before_in_round, first_written, of_round, of_warp, ranked, taken};
use crate::pack::Pack;
use crate::reduction::Reduction;
use crate::scan::place::{Place, in_tile, loaded, placed};
use crate::scan::tiles::{LANES, THREADS, WARPS};
use crate::scan::{MOST_HALVES, Tiles, Word, announce, before_tile, before_warp, take_tile};

/// Blocks that run on a multiprocessor at once, if a thread has `elements` elements: the most that have registers for them.
const fn blocks(elements: usize) -> u32 {
    if elements <= 16 { 6 } else { 4 }
}

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
/// Each thread has `ROUNDS` packs of `N` elements. `words` has three words for each tile, which are zero before the first launch.
/// `xs`, `at` and `next_tile` are as in [`select_kernel`](super::select_kernel()).
#[gpu_kernel(launch_bounds(THREADS, { blocks(N * ROUNDS) }), noalias)]
pub fn encode_kernel<T: GpuType + PartialEq + 'static, const N: usize, const ROUNDS: usize>(
    x: &[T],
    xs: &[Pack<T, N>],
    values: &mut [T],
    lengths: &mut [u32],
    count: &mut [u64],
    at: Tiles,
    words: &mut [u64],
    next_tile: &mut [u32],
) {
    let mut staged = shared!([T; LANES * N * ROUNDS]);
    // The positions in the tile at which runs begin.
    let mut beginnings = shared!([u16; LANES * N * ROUNDS]);
    let tile = take_tile(next_tile);
    let place = placed::<N, ROUNDS>(tile, x.len(), at.head, xs.len());
    let elements = loaded::<T, N, ROUNDS>(x, xs, place);
    let begins = taken::<Distinct<T>, N, ROUNDS>(&elements, x, 0, 0, place).mask;
    let ranks = ranked::<N, ROUNDS>(begins);
    let begun = of_warp::<N, ROUNDS>(ranks) as u64;
    let length = open_length::<N, ROUNDS>(begins, place);
    let warps = before_warp::<Runs, WARPS>(OpenRun { begun, length });
    announce::<Runs>(warps.all, tile, at.launch, words);

    let mut of_rounds = warps.before.begun as u32;
    #[unroll]
    for r in 0..ROUNDS {
        let mut rank = of_rounds + before_in_round::<N>(ranks, r);
        #[unroll]
        for j in 0..N {
            if begins >> (r * N + j) & 1 == 1 {
                assume((rank as usize) < LANES * N * ROUNDS);
                staged[rank] = elements[r].0[j];
                beginnings[rank] = in_tile::<N>(place, r, j) as u16;
                rank += 1;
            }
        }
        of_rounds += of_round::<N>(ranks, r);
    }

    let before = before_tile::<Runs>(warps.all, tile, at.launch, words);
    let runs = warps.all.begun as u32;
    let first_run = before.begun as usize;
    let mut run = first_written(first_run);
    while run < runs {
        let at = first_run + run as usize;
        assume((run as usize) < LANES * N * ROUNDS);
        if at < values.len() {
            values[at] = staged[run];
        }
        // The last run may go on in the next tile, which then writes its length.
        if run + 1 < runs && at < lengths.len() {
            assume((run as usize) + 1 < LANES * N * ROUNDS);
            lengths[at] = beginnings[run + 1] as u32 - beginnings[run] as u32;
        }
        run += THREADS;
    }
    if thread_idx().x == 0 {
        if runs > 0 && first_run > 0 && first_run - 1 < lengths.len() {
            lengths[first_run - 1] = before.length.wrapping_add(beginnings[0] as u32);
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

/// The number of the warp's elements from its last beginning on; all that exist if no run begins.
#[gpu_fn]
fn open_length<const N: usize, const ROUNDS: usize>(begins: u32, place: Place) -> u32 {
    let lane = thread_idx().x % 32;
    let of_warp = (32 * N * ROUNDS) as u32;
    // Positions are counted from the warp's first element. Those that the first tile lacks lie before its first beginning.
    let first = place.at.wrapping_sub(lane * N as u32);
    let mut last = 0u32;
    if begins != 0 {
        let bit = MOST as u32 - 1 - begins.leading_zeros();
        let (round, j) = (bit / N as u32, bit % N as u32);
        last = round * (32 * N as u32) + lane * N as u32 + j + 1;
    }
    #[unroll]
    for delta in [1, 2, 4, 8, 16u32] {
        last = last.max(shfl_xor(last, delta));
    }
    let reaches = (first as i32) < place.tile_len as i32;
    let end = if reaches { place.tile_len.wrapping_sub(first).min(of_warp) } else { 0 };
    if last > 0 { end - (last - 1) } else { end }
}
