//! Which of a thread's elements are taken, and how many of the warp lie before each: masks with a bit for each element of a thread.

use warpsmith::prelude::*;

use super::Selector;
use crate::pack::Pack;
use crate::reduction::{OwnSum, Truth};
use crate::scan::place::{Place, in_tile};
use crate::scan::tiles::THREADS;
use crate::scan::warp_inclusive;

/// The most elements of a thread.
pub const MOST: usize = 32;

/// Which of a thread's elements are taken.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Taken {
    /// A bit for each element that is taken.
    pub mask: u32,
    /// A bit for each element that exists.
    pub exists: u32,
}

/// Numbers of taken elements by round, in fields of two words.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Ranks {
    /// In the lanes before the thread's.
    before: [u32; 2],
    /// In all lanes.
    all: [u32; 2],
}

/// Decides which of the thread's elements are taken. `marks` are their flags.
#[gpu_fn]
pub fn taken<S: Selector, const N: usize, const ROUNDS: usize>(
    elements: &[Pack<S::Element, N>; ROUNDS],
    x: &[S::Element],
    marks: u32,
    setting: S::Setting,
    place: Place,
) -> Taken {
    let mut befores = [elements[0].0[0]; ROUNDS];
    if S::COMPARES {
        befores = before_packs::<S::Element, N, ROUNDS>(elements, x, place);
    }
    let mut mask = 0u32;
    #[unroll]
    for r in 0..ROUNDS {
        let mut before = befores[r];
        #[unroll]
        for j in 0..N {
            let i = place.tile_first + in_tile::<N>(place, r, j) as usize;
            let element = elements[r].0[j];
            if S::takes(element, before, i, marks >> (r * N + j) & 1 == 1, setting) {
                mask |= 1 << (r * N + j);
            }
            before = element;
        }
    }
    if S::COMPARES && place.tile_first == 0 && thread_idx().x == 0 {
        // The first element of all has none before it.
        mask |= 1 << place.at.wrapping_neg();
    }
    let exists = existing::<N, ROUNDS>(place);
    Taken { mask: mask & exists, exists }
}

/// The element before each pack.
#[gpu_fn]
fn before_packs<T: GpuType, const N: usize, const ROUNDS: usize>(
    elements: &[Pack<T, N>; ROUNDS],
    x: &[T],
    place: Place,
) -> [T; ROUNDS] {
    let lane = thread_idx().x % 32;
    let first = place.tile_first + place.at as usize;
    let mut befores = [elements[0].0[0]; ROUNDS];
    let mut carry = befores[0];
    if lane == 0 && place.at < place.tile_len && first > 0 {
        assume(first <= x.len());
        carry = x[first - 1];
    }
    #[unroll]
    for r in 0..ROUNDS {
        let below = shfl(elements[r].0[N - 1], (lane + 31) % 32);
        befores[r] = if lane == 0 { carry } else { below };
        carry = below;
    }
    befores
}

/// The thread's elements that exist.
#[gpu_fn]
fn existing<const N: usize, const ROUNDS: usize>(place: Place) -> u32 {
    let mut exists = u32::MAX >> (MOST - N * ROUNDS);
    if !place.is_whole {
        exists = 0;
        #[unroll]
        for r in 0..ROUNDS {
            #[unroll]
            for j in 0..N {
                if in_tile::<N>(place, r, j) < place.tile_len {
                    exists |= 1 << (r * N + j);
                }
            }
        }
    }
    exists
}

/// The flags of the thread's elements, a flag for each element of the input.
#[gpu_fn]
pub fn marked<F: Truth, const N: usize, const ROUNDS: usize>(flags: &[F], place: Place) -> u32 {
    let mut marks = 0u32;
    #[unroll]
    for r in 0..ROUNDS {
        #[unroll]
        for j in 0..N {
            let at = in_tile::<N>(place, r, j);
            let i = place.tile_first + at as usize;
            if (place.is_whole || at < place.tile_len) && i < flags.len() && flags[i].is_true() {
                marks |= 1 << (r * N + j);
            }
        }
    }
    marks
}

/// The flags of the elements of a whole tile, which are bytes: word `k` has those of four elements from the first pack on.
#[gpu_fn]
pub fn marked_by_words<const N: usize, const ROUNDS: usize>(words: &[u32], place: Place) -> u32 {
    let per_pack = if N > 4 { N / 4 } else { 1 };
    let mut bytes = [0u32; MOST / 4];
    #[unroll]
    for r in 0..ROUNDS {
        #[unroll]
        for w in 0..per_pack {
            let word = (place.pack + r * 32) * N / 4 + w;
            assume(word < words.len());
            bytes[r * per_pack + w] = words[word];
        }
    }
    let mut marks = 0u32;
    #[unroll]
    for r in 0..ROUNDS {
        #[unroll]
        for j in 0..N {
            let byte = if N < 4 { (place.pack * N % 4) as u32 + j as u32 } else { (j % 4) as u32 };
            if bytes[r * per_pack + j / 4] >> (byte * 8) & 0xff != 0 {
                marks |= 1 << (r * N + j);
            }
        }
    }
    marks
}

/// Counts the taken elements of the warp's lanes.
#[gpu_fn]
pub fn ranked<const N: usize, const ROUNDS: usize>(taken: u32) -> Ranks {
    let lane = thread_idx().x % 32;
    let mut ranks = Ranks { before: [0; 2], all: [0; 2] };
    let mut own = [0u32; 2];
    #[unroll]
    for r in 0..ROUNDS {
        let of_round = taken >> (r * N) & (u32::MAX >> (32 - N));
        own[r / fields::<N>()] += of_round.count_ones() << field::<N>(r);
    }
    #[unroll]
    for w in 0..2usize {
        if w * fields::<N>() < ROUNDS {
            let through = warp_inclusive::<OwnSum<u32>>(own[w], lane);
            ranks.before[w] = through - own[w];
            ranks.all[w] = shfl(through, 31);
        }
    }
    ranks
}

/// Taken elements of a round in the lanes before the thread's.
#[gpu_fn]
pub fn before_in_round<const N: usize>(ranks: Ranks, round: usize) -> u32 {
    ranks.before[round / fields::<N>()] >> field::<N>(round) & (u32::MAX >> (32 - 32 / fields::<N>()))
}

/// Taken elements of a round in all lanes.
#[gpu_fn]
pub fn of_round<const N: usize>(ranks: Ranks, round: usize) -> u32 {
    ranks.all[round / fields::<N>()] >> field::<N>(round) & (u32::MAX >> (32 - 32 / fields::<N>()))
}

/// Taken elements of the warp.
#[gpu_fn]
pub fn of_warp<const N: usize, const ROUNDS: usize>(ranks: Ranks) -> u32 {
    let mut all = 0;
    #[unroll]
    for r in 0..ROUNDS {
        all += of_round::<N>(ranks, r);
    }
    all
}

/// The first of a tile's results that a thread writes, if these begin at number `begin` of the output; the next are as far apart as
/// there are threads. The results of a warp begin at a multiple of its width.
#[gpu_fn]
pub fn first_written(begin: usize) -> u32 {
    (thread_idx().x + THREADS - (begin % 32) as u32) % THREADS
}

/// Rounds whose numbers share a word: a field holds the number of a warp's elements.
#[gpu_fn]
fn fields<const N: usize>() -> usize {
    if N <= 4 { 4 } else { 2 }
}

/// The lowest bit of a round's field.
#[gpu_fn]
fn field<const N: usize>(round: usize) -> usize {
    round % fields::<N>() * (32 / fields::<N>())
}
