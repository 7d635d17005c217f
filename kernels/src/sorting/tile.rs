//! A radix sort of a tile of words in shared memory.

use warpsmith::prelude::*;

use super::count::before_digit;
use super::key::{RADIX, Word};
use super::pass::{AT_ONCE, bits_of_digit, next_ranks};
use super::ranges::{ROOM, THREADS};

/// Words of a thread.
pub const ITEMS: usize = ROOM / THREADS as usize;
/// Warps of a block.
const WARPS: usize = THREADS as usize / 32;
/// Counters of a block: one for each digit of each warp.
pub const COUNTERS: usize = WARPS * RADIX;

/// Sorts `len` words with their places by the digit from bit `shift` on of 32 bits that `half` has of both. Words with the same digit stay
/// in their order.
///
/// `counters`: [`COUNTERS`], of any content. Every thread of the block calls it, when all have written their words; it ends with a barrier.
#[gpu_fn]
pub fn sort_by<W: Word>(
    words: &mut [W],
    places: &mut [u16],
    counters: &mut [u32],
    len: u32,
    shift: u32,
    half: impl Fn(W, u32) -> u32,
) {
    let t = thread_idx().x % THREADS;
    let (warp, lane) = (t / 32, t % 32);
    let own = &mut counters[warp * RADIX as u32..(warp + 1) * RADIX as u32];
    #[unroll]
    for k in 0..RADIX as u32 / 32 {
        own[k * 32 + lane] = 0;
    }
    // Words of a thread, a multiple of those that are ranked at once. Each warp has its own part of the tile.
    let items = len.div_ceil(THREADS * AT_ONCE as u32) * AT_ONCE as u32;
    let mine = warp * items * 32 + lane;
    let mut held = [W::LAST; ITEMS];
    let mut held_places = [0u32; ITEMS];
    // What is missing has the last digit, and is behind all else that has it.
    let mut halves = [u32::MAX; ITEMS];
    #[unroll]
    for k in 0..ITEMS {
        let i = mine + k as u32 * 32;
        if (k as u32) < items && i < len {
            assume((i as usize) < ROOM);
            held[k] = words[i];
            held_places[k] = places[i] as u32;
            halves[k] = half(held[k], held_places[k]);
        }
    }
    let bits = bits_of_digit(shift);
    let mut ranks = [0u32; ITEMS];
    sync_warp();
    #[unroll]
    for first in (0..ITEMS).step_by(AT_ONCE) {
        if (first as u32) < items {
            let some = next_ranks::<u32, ITEMS>(own, &halves, first, shift % 32, &bits);
            #[unroll]
            for k in 0..AT_ONCE {
                ranks[first + k] = some[k];
            }
        }
    }
    sync_threads();
    let mut count = 0u32;
    #[unroll]
    for w in 0..WARPS {
        let of_warp = counters[w * RADIX + t as usize];
        counters[w * RADIX + t as usize] = count;
        count += of_warp;
    }
    let before = before_digit::<u32>(count, t);
    #[unroll]
    for w in 0..WARPS {
        counters[w * RADIX + t as usize] += before;
    }
    sync_threads();
    #[unroll]
    for k in 0..ITEMS {
        if (k as u32) < items && mine + k as u32 * 32 < len {
            let rank = counters[warp * RADIX as u32 + halves[k].digit(shift % 32)] + ranks[k];
            assume((rank as usize) < ROOM);
            words[rank] = held[k];
            places[rank] = held_places[k] as u16;
        }
    }
    sync_threads();
}
