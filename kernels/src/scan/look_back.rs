//! The sum of everything before a tile, from the words that tiles publish.
//!
//! A tile publishes its own sum first, and its prefix, the sum of everything up to its end, as soon as it knows that. Each word holds
//! data and what the data is, so no fence has to order the two. Words have the number of their launch: those of earlier launches
//! count as not published.

use warpsmith::prelude::*;

use super::Word;
use super::word::MOST_HALVES;
use crate::reduction::Reduction;

/// The words of a launch. Half `k` of the value of tile `i` is in word `k * tiles + i`: lanes read neighbouring words.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Board {
    tiles: u32,
    launch: u32,
}

/// The content of a tile's words.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Published<T> {
    /// The value.
    value: T,
    /// Whether it is the sum of everything up to the tile's end.
    is_prefix: bool,
    /// Whether it is that, or the sum of the tile.
    is_sum: bool,
}

/// Sums of a block's warps.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Warps<T> {
    /// The sum of the warps before the thread's.
    pub before: T,
    /// The sum of all warps.
    pub all: T,
}

/// Takes the next tile of the launch, for all threads of the block. `next_tile` is zero before and after a launch.
///
/// Blocks take tiles in the order in which they start. A tile therefore never waits for a block that has not started.
#[gpu_fn]
pub fn take_tile(next_tile: &mut [u32]) -> u32 {
    let mut taken = shared!([u32; 1]);
    if thread_idx().x == 0 {
        taken[0] = atomic_inc(&mut next_tile[0], grid_dim().x - 1);
    }
    sync_threads();
    taken[0]
}

/// The sum over the lanes up to and with the caller's.
#[gpu_fn]
pub fn warp_inclusive<R: Reduction>(value: R::Partial, lane: u32) -> R::Partial {
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

/// Joins the sums of a block's `WARPS` warps. `of_warp` is the warp's sum, in each of its lanes. Every thread calls this once.
#[gpu_fn]
pub fn before_warp<R: Reduction, const WARPS: usize>(of_warp: R::Partial) -> Warps<R::Partial> {
    let mut of_warps = shared!([R::Partial; WARPS]);
    let (warp, lane) = (thread_idx().x / 32, thread_idx().x % 32);
    if lane == 0 {
        of_warps[warp] = of_warp;
    }
    sync_threads();
    let mut before = R::nothing();
    let mut all = R::nothing();
    #[unroll]
    for w in 0..WARPS {
        if w as u32 == warp {
            before = all;
        }
        all = R::join(all, of_warps[w]);
    }
    Warps { before, all }
}

/// Publishes the sum of the block's tile, `of_tile`. Tiles behind it go on as soon as they have it.
///
/// Every thread calls this once, and [`before_tile`] later, with the same arguments.
#[gpu_fn]
pub fn announce<R: Reduction>(of_tile: R::Partial, tile: u32, launch: u32, words: &mut [u64])
where
    R::Partial: Word,
{
    if thread_idx().x == 0 && tile > 0 {
        publish::<R::Partial>(words, Board { tiles: grid_dim().x, launch }, tile, false, of_tile);
    }
}

/// The sum of all tiles before the block's, whose own sum is `of_tile`, as announced. Every thread calls this once; it is a barrier.
///
/// `words` has `R::Partial::HALVES` words for each tile, which are zero before the first launch. `launch` numbers the launches from 1
/// on.
#[gpu_fn]
pub fn before_tile<R: Reduction>(of_tile: R::Partial, tile: u32, launch: u32, words: &mut [u64]) -> R::Partial
where
    R::Partial: Word,
{
    let mut before_all = shared!([R::Partial; 1]);
    let board = Board { tiles: grid_dim().x, launch };
    // Warp 0 looks back.
    if thread_idx().x < 32 {
        let lane = thread_idx().x;
        let before = looked_back::<R>(words, board, tile, lane);
        if lane == 0 {
            publish::<R::Partial>(words, board, tile, true, R::join(before, of_tile));
            before_all[0] = before;
        }
    }
    sync_threads();
    before_all[0]
}

/// Publishes a tile's own sum, or its prefix.
#[gpu_fn]
fn publish<W: Word>(words: &mut [u64], board: Board, tile: u32, is_prefix: bool, value: W) {
    let state = ((board.launch * 2 + is_prefix as u32) as u64) << 32;
    #[unroll]
    for k in 0..W::HALVES {
        let at = k * board.tiles as usize + tile as usize;
        // A store would stay behind the stores of outputs for a while. Everything waits for these words.
        atomic_exchange(&mut words[at], state | value.half(k) as u64);
    }
}

/// Reads the words of a tile. Words of different states are not a value yet.
#[gpu_fn]
fn published<W: Word>(words: &mut [u64], board: Board, tile: u32) -> Published<W> {
    let first = atomic(&mut words[tile]).load(Ordering::Relaxed);
    let state = (first >> 32) as u32;
    let mut halves = [first as u32; MOST_HALVES];
    let mut is_whole = true;
    #[unroll]
    for k in 1..W::HALVES {
        let word = atomic(&mut words[k * board.tiles as usize + tile as usize]).load(Ordering::Relaxed);
        halves[k] = word as u32;
        is_whole = is_whole && (word >> 32) as u32 == state;
    }
    let is_prefix = is_whole && state == board.launch * 2 + 1;
    let is_sum = is_prefix || is_whole && state == board.launch * 2;
    Published { value: W::of_halves(halves), is_prefix, is_sum }
}

/// The sum of all tiles before `tile`. The lanes of a warp read the words of 32 tiles, and wait until each has published a sum.
#[gpu_fn]
fn looked_back<R: Reduction>(words: &mut [u64], board: Board, tile: u32, lane: u32) -> R::Partial
where
    R::Partial: Word,
{
    let mut sum = R::nothing();
    let mut end = tile;
    while end > 0 {
        let mut seen = Published { value: R::nothing(), is_prefix: true, is_sum: true };
        if lane < end {
            seen = published::<R::Partial>(words, board, end - 1 - lane);
        }
        while !all(seen.is_sum) {
            if !seen.is_sum {
                seen = published::<R::Partial>(words, board, end - 1 - lane);
            }
        }
        // The nearest prefix contains everything before it: lanes beyond it add nothing.
        let prefixes = ballot(seen.is_prefix);
        let is_counted = lane <= prefixes.trailing_zeros();
        let window = if is_counted { seen.value } else { R::nothing() };
        sum = R::join(joined_backwards::<R>(window), sum);
        if prefixes != 0 {
            return sum;
        }
        end -= 32;
    }
    sum
}

/// Joins a value of each lane, from the last lane to the first.
#[gpu_fn]
fn joined_backwards<R: Reduction>(value: R::Partial) -> R::Partial {
    let mut total = value;
    #[unroll]
    for delta in [1, 2, 4, 8, 16u32] {
        total = R::join(shfl_down(total, delta), total);
    }
    shfl(total, 0)
}
