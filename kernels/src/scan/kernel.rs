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

const WARPS: u32 = THREADS / 32;

/// How elements lie in tiles.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Tiles {
    /// Number of elements.
    pub len: usize,
    /// Elements that the first tile lacks at its beginning, so that the others begin with a pack.
    pub missing: usize,
    /// The number of the launch, from 1 on.
    pub launch: u32,
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

    // Elements are counted with those that the first tile lacks. A warp's are consecutive, and so is each of its loads.
    let first = tile * TILE + warp as usize * (32 * ITEMS) + lane as usize * N;
    let is_whole = packed && tile * TILE >= at.missing && (tile + 1) * TILE <= at.len + at.missing;
    let skipped = if at.missing > 0 { N } else { 0 };
    let first_pack = (first.max(skipped) - skipped) / N;
    let mut values = [R::nothing(); ITEMS];
    if is_whole {
        let mut packs = [xs[first_pack]; ROUNDS];
        #[unroll]
        for r in 1..ROUNDS {
            packs[r] = xs[first_pack + r * 32];
        }
        #[unroll]
        for r in 0..ROUNDS {
            #[unroll]
            for j in 0..N {
                let i = first + r * (32 * N) + j - at.missing;
                values[r * N + j] = R::of(packs[r].0[j], i as u64);
            }
        }
    } else {
        #[unroll]
        for r in 0..ROUNDS {
            #[unroll]
            for j in 0..N {
                let i = first + r * (32 * N) + j;
                if i >= at.missing && i - at.missing < at.len {
                    values[r * N + j] = R::of(x[i - at.missing], (i - at.missing) as u64);
                }
            }
        }
    }

    // Each element's sum from the beginning of the warp's elements on.
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
    let past = if exclusive { 0 } else { 1 };
    if is_whole {
        #[unroll]
        for r in 0..ROUNDS {
            let i = first + r * (32 * N) - at.missing + past;
            let mut pack = Pack([R::output(R::join(before, values[r * N]), i as u64); N]);
            #[unroll]
            for j in 1..N {
                pack.0[j] = R::output(R::join(before, values[r * N + j]), (i + j) as u64);
            }
            ys[first_pack + r * 32] = pack;
        }
    } else {
        #[unroll]
        for r in 0..ROUNDS {
            #[unroll]
            for j in 0..N {
                let i = first + r * (32 * N) + j;
                if i >= at.missing && i - at.missing < at.len {
                    let i = i - at.missing;
                    y[i] = R::output(R::join(before, values[r * N + j]), (i + past) as u64);
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
