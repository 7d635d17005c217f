//! A pass: a stable sort by one digit, a tile of keys a block.

use warpsmith::prelude::*;
use warpsmith::types::Shared2;

use super::count::before_digit;
use super::key::{DIGIT_BITS, Key, RADIX, Value, Word, key_of, word_of};
use super::look_back::{OWN, before_tile, publish, word_place};

/// Keys of a thread that are ranked at once.
pub const AT_ONCE: usize = 4;

/// The digit that a launch sorts by, and its tiles.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Pass {
    /// The first bit of the digit.
    pub shift: u32,
    /// The state of numbers up to the end of a tile, 0 or 1: not that of the pass before.
    pub through: u32,
    /// Tiles of the launch. Blocks beyond have nothing to do.
    pub tiles: u32,
    /// Tiles of earlier launches of the pass.
    pub first_tile: usize,
    /// The place of the digits' starts in `starts`. The starts for the next launch are behind them.
    pub first_start: usize,
}

/// The keys of a tile with a digit.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct OfDigit {
    /// Their number.
    count: u32,
    /// The rank of the first one in the tile.
    first: u32,
}

/// Writes the keys of the launch's tiles to their places in the order of a digit. Keys with the same digit stay in their order if the
/// pass `is_stable`, as all must be with values, and all but the first without.
///
/// With `is_narrow`, all places are numbers of 32 bits, which take half of the registers. Keys that are missing in the last tile count as the
/// last ones. `words` has a word for each digit of each tile, zero before the first
/// pass, whose state is 1. `next_tile` is zero before and after.
#[gpu_kernel(launch_bounds(THREADS, BLOCKS), noalias)]
pub fn radix_pass<K: Key, V: Value, const THREADS: usize, const ITEMS: usize, const BLOCKS: usize>(
    keys: &[K],
    values: &[V],
    to: &mut [K],
    values_to: &mut [V],
    starts: &mut [u64],
    words: &mut [u32],
    next_tile: &mut [u32],
    pass: Pass,
    #[comptime] has_values: bool,
    #[comptime] descending: bool,
    #[comptime] is_stable: bool,
    #[comptime] is_narrow: bool,
) {
    let mut taken = shared!([u32; 1]);
    let mut counters = shared!([[u32; RADIX]; THREADS / 32]);
    let mut wide = shared!([u64; RADIX]);
    let mut narrow = shared!([u32; RADIX]);
    let mut sorted = shared!([K::Word; THREADS * ITEMS]);
    let t = thread_idx().x % THREADS as u32;
    let (warp, lane) = (t / 32, t % 32);
    if t == 0 {
        // Blocks take tiles in the order in which they start, so none waits for a block that has not.
        taken[0] = atomic_inc(&mut next_tile[0], grid_dim().x - 1);
    }
    #[unroll]
    for k in 0..RADIX as u32 / 32 {
        counters[warp][k * 32 + lane] = 0;
    }
    sync_threads();
    let tile = uniform(taken[0]);
    if tile >= pass.tiles {
        return;
    }
    let first = (pass.first_tile + tile as usize) * (THREADS * ITEMS);
    let mine = first + (warp * (32 * ITEMS as u32) + lane) as usize;
    let count = (keys.len() - first).min(THREADS * ITEMS) as u32;
    let held = loaded::<K, THREADS, ITEMS>(keys, mine, count, descending);
    let mut ranks = [0u32; ITEMS];
    #[unroll]
    for i in 0..ITEMS {
        if is_stable || mine + i * 32 < keys.len() {
            ranks[i] = atomic_add(&mut counters[warp][held[i].digit(pass.shift)], 1);
        }
    }
    sync_threads();
    let of_digit = add_up::<THREADS>(&mut counters, words, pass, tile, t);
    let is_whole = count == (THREADS * ITEMS) as u32;
    if sync_threads_or(is_whole && of_digit.count == count) {
        // With one digit alone, the tile stays in its order.
        if t < RADIX as u32 {
            wide[t] = offset(starts, words, pass, tile, t, of_digit);
        }
        sync_threads();
        let to_first = wide[held[0].digit(pass.shift)] as usize + (mine - first);
        move_keys::<K, ITEMS>(&held, to, to_first, descending);
        if has_values {
            move_values::<V, ITEMS>(values, mine, values_to, to_first);
        }
        return;
    }

    if is_stable {
        ranks = if has_values {
            place_one_by_one::<K, ITEMS>(&mut sorted, &mut counters[warp], &held, pass.shift)
        } else {
            place_in_order::<K, ITEMS>(&mut sorted, &mut counters[warp], &held, pass.shift)
        };
    } else {
        #[unroll]
        for i in 0..ITEMS {
            if mine + i * 32 < keys.len() {
                let rank = counters[warp][held[i].digit(pass.shift)] + ranks[i];
                assume(rank < (THREADS * ITEMS) as u32);
                sorted[rank] = held[i];
            }
        }
    }
    let mut carried = [V::ZERO; ITEMS];
    if has_values {
        #[unroll]
        for i in 0..ITEMS {
            if mine + i * 32 < values.len() {
                carried[i] = values[mine + i * 32];
            }
        }
    }
    if t < RADIX as u32 {
        let from = offset(starts, words, pass, tile, t, of_digit);
        if is_narrow {
            narrow[t] = from as u32;
        } else {
            wide[t] = from;
        }
    }
    sync_threads();

    let place = |digit: u32, rank: u32| {
        if is_narrow {
            narrow[digit].wrapping_add(rank) as usize
        } else {
            wide[digit].wrapping_add(rank as u64) as usize
        }
    };
    let marks = if is_whole {
        scattered::<K, THREADS, ITEMS>(&sorted, to, pass.shift, count, true, descending, is_narrow, place)
    } else {
        scattered::<K, THREADS, ITEMS>(&sorted, to, pass.shift, count, false, descending, is_narrow, place)
    };
    if has_values {
        let mut sorted_values = shared!([V; THREADS * ITEMS]);
        #[unroll]
        for i in 0..ITEMS {
            sorted_values[ranks[i]] = carried[i];
        }
        sync_threads();
        let place = |mark: u32, rank: u32| if is_narrow { mark as usize } else { place(mark, rank) };
        if is_whole {
            scatter_values::<V, THREADS, ITEMS>(&sorted_values, &marks, values_to, count, true, place);
        } else {
            scatter_values::<V, THREADS, ITEMS>(&sorted_values, &marks, values_to, count, false, place);
        }
    }
}

/// Writes the sorted keys of a tile to their places, and returns the places of the thread's, or, unless they are 32 bits, their digits.
/// `count` is the number of keys.
///
/// Neighbouring threads have keys of neighbouring ranks, most of which belong side by side. In a whole tile no write depends on a
/// comparison, and all reads of shared memory are in flight at once.
#[allow(clippy::too_many_arguments)]
#[gpu_fn]
fn scattered<K: Key, const THREADS: usize, const ITEMS: usize>(
    sorted: &[K::Word],
    to: &mut [K],
    shift: u32,
    count: u32,
    is_whole: bool,
    descending: bool,
    is_narrow: bool,
    place: impl Fn(u32, u32) -> usize,
) -> [u32; ITEMS] {
    let t = thread_idx().x % THREADS as u32;
    let mut marks = [0u32; ITEMS];
    #[unroll]
    for i in 0..ITEMS {
        let rank = i as u32 * THREADS as u32 + t;
        if is_whole || rank < count {
            let word = sorted[rank];
            let digit = word.digit(shift);
            let place = place(digit, rank);
            marks[i] = if is_narrow { place as u32 } else { digit };
            assume(place < to.len());
            to[place] = key_of::<K>(word, descending);
        }
    }
    marks
}

/// Writes the sorted values of a tile to the places of their keys.
#[gpu_fn]
fn scatter_values<V: Value, const THREADS: usize, const ITEMS: usize>(
    sorted: &[V],
    marks: &[u32; ITEMS],
    to: &mut [V],
    count: u32,
    is_whole: bool,
    place: impl Fn(u32, u32) -> usize,
) {
    let t = thread_idx().x % THREADS as u32;
    #[unroll]
    for i in 0..ITEMS {
        let rank = i as u32 * THREADS as u32 + t;
        if is_whole || rank < count {
            let place = place(marks[i], rank);
            assume(place < to.len());
            to[place] = sorted[rank];
        }
    }
}

/// Writes a thread's keys, 32 apart.
#[gpu_fn]
fn move_keys<K: Key, const ITEMS: usize>(
    held: &[K::Word; ITEMS],
    to: &mut [K],
    to_first: usize,
    descending: bool,
) {
    #[unroll]
    for i in 0..ITEMS {
        assume(to_first + i * 32 < to.len());
        to[to_first + i * 32] = key_of::<K>(held[i], descending);
    }
}

/// Copies a thread's values, 32 apart.
#[gpu_fn]
fn move_values<V: Value, const ITEMS: usize>(from: &[V], first: usize, to: &mut [V], to_first: usize) {
    #[unroll]
    for i in 0..ITEMS {
        assume(first + i * 32 < from.len() && to_first + i * 32 < to.len());
        to[to_first + i * 32] = from[first + i * 32];
    }
}

/// The words of a thread's keys, 32 apart; the last word where a key is missing.
#[gpu_fn]
fn loaded<K: Key, const THREADS: usize, const ITEMS: usize>(
    keys: &[K],
    mine: usize,
    count: u32,
    descending: bool,
) -> [K::Word; ITEMS] {
    let mut held = [K::Word::LAST; ITEMS];
    if count == (THREADS * ITEMS) as u32 {
        #[unroll]
        for i in 0..ITEMS {
            assume(mine + i * 32 < keys.len());
            held[i] = word_of::<K>(keys[mine + i * 32], descending);
        }
    } else {
        #[unroll]
        for i in 0..ITEMS {
            if mine + i * 32 < keys.len() {
                held[i] = word_of::<K>(keys[mine + i * 32], descending);
            }
        }
    }
    held
}

/// Makes each warp's number of keys of a digit the rank of the first of them, with a thread for each digit, and publishes the tile's.
#[gpu_fn]
fn add_up<const THREADS: usize>(
    counters: &mut Shared2<u32>,
    words: &mut [u32],
    pass: Pass,
    tile: u32,
    t: u32,
) -> OfDigit {
    let mut count = 0u32;
    if t < RADIX as u32 {
        #[unroll]
        for w in 0..THREADS / 32 {
            let of_warp = counters[w][t];
            counters[w][t] = count;
            count += of_warp;
        }
        let place = word_place(pass, tile, t);
        assume(place < words.len());
        publish(&mut words[place], if tile > 0 { OWN } else { pass.through }, count);
    }
    let first = before_digit::<u32>(count, t);
    if t < RADIX as u32 {
        #[unroll]
        for w in 0..THREADS / 32 {
            counters[w][t] += first;
        }
    }
    OfDigit { count, first }
}

/// Places a thread's keys in the sorted tile, and returns their ranks there. Keys with the same digit stay in their order.
#[gpu_fn]
fn place_in_order<K: Key, const ITEMS: usize>(
    sorted: &mut [K::Word],
    counters: &mut [u32],
    held: &[K::Word; ITEMS],
    shift: u32,
) -> [u32; ITEMS] {
    let bits = bits_of_digit(shift);
    let mut ranks = [0u32; ITEMS];
    #[unroll]
    for first in (0..ITEMS).step_by(AT_ONCE) {
        let some = next_ranks::<K, ITEMS>(counters, held, first, shift, &bits);
        #[unroll]
        for k in 0..AT_ONCE {
            if first + k < ITEMS {
                ranks[first + k] = some[k];
                assume((some[k] as usize) < sorted.len());
                sorted[some[k]] = held[first + k];
            }
        }
    }
    ranks
}

/// The same, a key after the other, by fewer registers, for threads that also have values.
#[gpu_fn]
fn place_one_by_one<K: Key, const ITEMS: usize>(
    sorted: &mut [K::Word],
    counters: &mut [u32],
    held: &[K::Word; ITEMS],
    shift: u32,
) -> [u32; ITEMS] {
    let bits = bits_of_digit(shift);
    let mut ranks = [0u32; ITEMS];
    #[unroll]
    for i in 0..ITEMS {
        let digit = held[i].digit(shift) as usize;
        let equal = lanes_with(held[i].half(shift), &bits);
        let before = (equal & lanemask_lt()).count_ones();
        assume(digit < counters.len());
        let rank = counters[digit];
        sync_warp();
        if before == 0 {
            counters[digit] = rank + equal.count_ones();
        }
        sync_warp();
        ranks[i] = rank + before;
        assume((ranks[i] as usize) < sorted.len());
        sorted[ranks[i]] = held[i];
    }
    ranks
}

/// The ranks in the tile of some of a thread's keys: behind earlier keys of the warp with the same digit, and those of lower lanes.
///
/// The last lane with a digit adds to its counter. No addition waits for the result of another.
#[gpu_fn]
pub fn next_ranks<K: Key, const ITEMS: usize>(
    counters: &mut [u32],
    held: &[K::Word; ITEMS],
    first_item: usize,
    shift: u32,
    bits: &[u32; DIGIT_BITS as usize],
) -> [u32; AT_ONCE] {
    let mut equal = [0u32; AT_ONCE];
    let mut befores = [0u32; AT_ONCE];
    #[unroll]
    for k in 0..AT_ONCE {
        if first_item + k < ITEMS {
            let word = held[first_item + k];
            equal[k] = lanes_with(word.half(shift), bits);
            if equal[k] & lanemask_gt() == 0 {
                let digit = word.digit(shift) as usize;
                assume(digit < counters.len());
                befores[k] = atomic_add(&mut counters[digit], equal[k].count_ones());
            }
            sync_warp();
        }
    }
    #[unroll]
    for k in 0..AT_ONCE {
        if first_item + k < ITEMS {
            befores[k] =
                shfl(befores[k], 31 - equal[k].leading_zeros()) + (equal[k] & lanemask_lt()).count_ones();
        }
    }
    befores
}

/// The bits of the digit that begins at bit `shift`, each by itself, in the half of a word that has them.
#[gpu_fn]
pub fn bits_of_digit(shift: u32) -> [u32; DIGIT_BITS as usize] {
    let mut bits = [0u32; DIGIT_BITS as usize];
    #[unroll]
    for k in 0..DIGIT_BITS {
        bits[k] = 1 << ((shift + k) % 32);
    }
    bits
}

/// The lanes of the warp that have the same digit.
///
/// A bit is tested where it lies in the key: a single instruction does that, without shifts.
#[gpu_fn]
fn lanes_with(half: u32, bits: &[u32; DIGIT_BITS as usize]) -> u32 {
    let mut equal = u32::MAX;
    #[unroll]
    for k in 0..DIGIT_BITS {
        let is_set = half & bits[k] != 0;
        let others = ballot(is_set);
        equal &= if is_set { others } else { !others };
    }
    equal
}

/// The distance from the rank of a digit's key in the tile to its place in the output.
///
/// Publishes the number of its keys up to the tile's end, and the last tile the digit's start for the next launch.
#[gpu_fn]
fn offset(starts: &mut [u64], words: &mut [u32], pass: Pass, tile: u32, t: u32, of_digit: OfDigit) -> u64 {
    let before = before_tile(words, pass, tile, t);
    if tile > 0 {
        let place = word_place(pass, tile, t);
        assume(place < words.len());
        publish(&mut words[place], pass.through, before + of_digit.count);
    }
    let place = pass.first_start + t as usize;
    assume(place + RADIX < starts.len());
    let start = starts[place] + before as u64;
    if tile == pass.tiles - 1 {
        starts[place + RADIX] = start + of_digit.count as u64;
    }
    start.wrapping_sub(of_digit.first as u64)
}
