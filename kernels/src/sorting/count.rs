//! How often each digit occurs, and where its keys begin.

use warpsmith::prelude::*;

use super::key::{Key, RADIX, Word, word_of};
use crate::number::Number;
use crate::pack::Pack;

/// Threads of a block that counts.
pub const COUNT_THREADS: u32 = 512;
/// Threads of a block that adds up the counts of a place.
pub const START_THREADS: u32 = RADIX as u32;

/// Adds to `counts[place][digit]` the keys that have a digit at a place, for each of `PLACES` places.
///
/// `packs` has the keys of `x` from number `head` on, as far as they fill packs.
#[gpu_kernel(launch_bounds(COUNT_THREADS), noalias)]
pub fn digit_counts<K: Key, const N: usize, const PLACES: usize>(
    x: &[K],
    packs: &[Pack<K, N>],
    head: usize,
    counts: &mut [u64],
    #[comptime] descending: bool,
) {
    let mut of_block = shared!([u32; PLACES * RADIX]);
    let t = thread_idx().x as usize;
    #[unroll]
    for i in (t..PLACES * RADIX).step_by(COUNT_THREADS as usize) {
        of_block[i] = 0;
    }
    sync_threads();
    #[unroll(2)]
    for i in (global_id()..packs.len()).step_by(global_size()) {
        let pack = packs[i];
        #[unroll]
        for k in 0..N {
            count::<K, PLACES>(&mut of_block, pack.0[k], descending);
        }
    }
    // The keys before the packs, and those behind them.
    for i in (global_id()..head).step_by(global_size()) {
        count::<K, PLACES>(&mut of_block, x[i], descending);
    }
    for i in (head + packs.len() * N + global_id()..x.len()).step_by(global_size()) {
        count::<K, PLACES>(&mut of_block, x[i], descending);
    }
    sync_threads();
    #[unroll]
    for i in (t..PLACES * RADIX).step_by(COUNT_THREADS as usize) {
        if of_block[i] > 0 {
            atomic_add(&mut counts[i], of_block[i] as u64);
        }
    }
}

/// Counts each digit of a key.
#[gpu_fn]
fn count<K: Key, const PLACES: usize>(of_block: &mut [u32], key: K, descending: bool) {
    let word = word_of::<K>(key, descending);
    #[unroll]
    for place in 0..PLACES {
        let at = place * RADIX + word.digit(place as u32 * 8) as usize;
        assume(at < of_block.len());
        atomic_add(&mut of_block[at], 1);
    }
}

/// Writes where the keys of each digit begin, with a block for each place, and makes the counts zero again.
///
/// `starts` has `stride` numbers for a place.
#[gpu_kernel(launch_bounds(START_THREADS), noalias)]
pub fn digit_starts(counts: &mut [u64], starts: &mut [u64], stride: usize) {
    let t = thread_idx().x % START_THREADS;
    let at = block_idx().x as usize * RADIX + t as usize;
    let count = counts[at];
    counts[at] = 0;
    let start = before_digit::<u64>(count, t);
    starts[block_idx().x as usize * stride + t as usize] = start;
}

/// The sum of `count` over the threads before thread `t` of the block, for the first [`RADIX`] of them. Every thread calls it; it is a
/// barrier.
#[gpu_fn]
pub fn before_digit<T: Number>(count: T, t: u32) -> T {
    let mut of_warps = shared!([T; RADIX / 32]);
    let lane = t % 32;
    let through = through_warp::<T>(count, lane);
    if t < RADIX as u32 && lane == 31 {
        of_warps[t / 32] = through;
    }
    sync_threads();
    let mut before = T::ZERO;
    if t < RADIX as u32 {
        #[unroll]
        for w in 0..RADIX as u32 / 32 {
            if w < t / 32 {
                before = before.summed(of_warps[w]);
            }
        }
    }
    let below = shfl_up(through, 1);
    if lane > 0 { before.summed(below) } else { before }
}

/// The sum over the lanes up to and with the caller's.
#[gpu_fn]
fn through_warp<T: Number>(value: T, lane: u32) -> T {
    let mut sum = value;
    #[unroll]
    for delta in [1, 2, 4, 8, 16u32] {
        let below = shfl_up(sum, delta);
        if lane >= delta {
            sum = sum.summed(below);
        }
    }
    sum
}
