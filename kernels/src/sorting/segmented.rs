//! The kernels that sort segments: short ones by ranks, others by digits, and long ones in tiles that are then merged.

use warpsmith::prelude::*;

use super::key::{Key, Value, Word, key_of, word_of};
use super::ranges::{
    Around, HEADS, NONE, RANGE, ROOM, THREADS, Tile, check_offsets, end_of_begun, find_around, find_tiles,
    mark_heads, offsets_below,
};
use super::tile::{COUNTERS, sort_by};

/// The length of the longest segment that is sorted by ranks.
///
/// Two longer ones do not begin in the same [`GROUP`] positions.
pub const SHORT: u32 = 96;
/// Positions that one longer segment at most begins in.
const GROUP: u32 = 64;
/// Blocks that a multiprocessor runs at once: a half of its threads.
const RESIDENT: u32 = 4;
/// Keys of a thread that are read before the segments of a range are known.
const EARLY: usize = RANGE / THREADS as usize + 1;

/// Sorts all segments of up to 1024 keys, and the tiles of longer ones. A block takes `each` ranges.
///
/// Tiles of a segment that is merged an odd number of times are written to `spare`, all else to `y`. `longest[0]` becomes at least the
/// number of passes that the longest segment needs.
#[gpu_kernel(launch_bounds(THREADS, RESIDENT), noalias)]
pub fn sort_segments<K: Key, V: Value>(
    x: &[K],
    x_values: &[V],
    offsets: &[u32],
    y: &mut [K],
    y_values: &mut [V],
    spare: &mut [K],
    spare_values: &mut [V],
    longest: &mut [u32],
    ranges: usize,
    each: usize,
    #[comptime] has_values: bool,
    #[comptime] descending: bool,
) {
    let mut words = shared!([K::Word; ROOM]);
    let mut places = shared!([u16; ROOM]);
    let mut heads = shared!([u32; HEADS]);
    let mut counters = shared!([u32; COUNTERS]);
    let mut around = shared!([Around; HEADS]);
    let mut tiles = shared!([Tile; 2]);
    check_offsets(offsets, x.len());
    let t = thread_idx().x % THREADS;
    let begin = block_idx().x as usize * each;
    let mut first = offsets_below(offsets, begin * RANGE);
    for range in begin..ranges.min(begin + each) {
        let base = range * RANGE;
        let early = early_words::<K>(x, base, descending);
        let next = mark_heads(offsets, x.len(), base, first, &mut heads);
        find_tiles(offsets, x.len(), base, first, next, &mut tiles);
        let mut len = 0u32;
        if uniform(next) > uniform(first) {
            find_around(&heads, &mut around);
            #[unroll]
            for k in 0..EARLY {
                words[k * THREADS as usize + t as usize] = early[k];
            }
            #[unroll]
            for k in 0..COUNTERS / THREADS as usize {
                counters[k * THREADS as usize + t as usize] = 0;
            }
            sync_threads();
            len = uniform(end_of_begun(&around));
            if len as usize > EARLY * THREADS as usize {
                for i in (EARLY * THREADS as usize + t as usize..len as usize).step_by(THREADS as usize) {
                    words[i] = word_of::<K>(x[base + i], descending);
                }
                sync_threads();
            }
        } else {
            sync_threads();
        }
        if len > 0 {
            let mut sorted = shared!([K::Word; ROOM]);
            let [short, middle] = rank_short::<K::Word>(
                &words,
                &mut sorted,
                &mut places,
                &mut counters,
                &around,
                len,
                has_values,
            );
            let has_middle = sync_threads_or(middle != 0);
            write_some::<K, V>(
                &sorted, &places, x_values, y, y_values, base, len, short, has_values, descending,
            );
            if has_middle {
                sync_threads();
                sort_middle::<K>(&mut words, &mut places, &mut counters, &around, len);
                write_some::<K, V>(
                    &words, &places, x_values, y, y_values, base, len, middle, has_values, descending,
                );
            }
        }
        for k in 0..2 {
            let tile = tiles[k];
            if uniform(tile.len) > 0 {
                sync_threads();
                sort_tile::<K>(x, tile, &mut words, &mut places, &mut counters, descending);
                if uniform(tile.passes()).is_multiple_of(2) {
                    write::<K, V>(&words, &places, x_values, y, y_values, tile, has_values, descending);
                } else {
                    write::<K, V>(
                        &words,
                        &places,
                        x_values,
                        spare,
                        spare_values,
                        tile,
                        has_values,
                        descending,
                    );
                }
                if t == 0 && tile.at == 0 {
                    atomic_max(&mut longest[0], tile.passes());
                }
            }
        }
        sync_threads();
        first = next;
    }
}

/// The words of the thread's first keys in a range, [`THREADS`] apart.
#[gpu_fn]
fn early_words<K: Key>(x: &[K], base: usize, descending: bool) -> [K::Word; EARLY] {
    let t = thread_idx().x % THREADS;
    let mut early = [K::Word::LAST; EARLY];
    #[unroll]
    for k in 0..EARLY {
        let i = base + k * THREADS as usize + t as usize;
        if i < x.len() {
            early[k] = word_of::<K>(x[i], descending);
        }
    }
    early
}

/// Sorts the words of the segments of a range that are not short, each where it is. It is a barrier.
#[gpu_fn]
fn sort_middle<K: Key>(
    words: &mut [K::Word],
    places: &mut [u16],
    counters: &mut [u32],
    around: &[Around],
    len: u32,
) {
    for i in (thread_idx().x % THREADS..len).step_by(THREADS as usize) {
        places[i] = i as u16;
    }
    sync_threads();
    sort_digits::<K>(words, places, counters, len);
    sort_by::<K::Word>(words, places, counters, len, 0, |_, place| group_of(around, place));
}

/// Sorts the words of a tile with their places in it. It is a barrier.
#[gpu_fn]
fn sort_tile<K: Key>(
    x: &[K],
    tile: Tile,
    words: &mut [K::Word],
    places: &mut [u16],
    counters: &mut [u32],
    descending: bool,
) {
    for i in (thread_idx().x % THREADS..tile.len).step_by(THREADS as usize) {
        words[i] = word_of::<K>(x[tile.from + tile.at + i], descending);
        places[i] = i as u16;
    }
    sync_threads();
    sort_digits::<K>(words, places, counters, uniform(tile.len));
}

/// Writes the words of short segments to their places in `sorted`, with where they were. The place of a word in its segment is the number of
/// words before it in the order. Without values, equal words are in any order; `counters` are zero before.
///
/// Returns which of the thread's positions, [`THREADS`] apart, are in short segments, and which in others: a bit for each.
#[gpu_fn]
fn rank_short<W: Word>(
    words: &[W],
    sorted: &mut [W],
    places: &mut [u16],
    counters: &mut [u32],
    all: &[Around],
    len: u32,
    has_values: bool,
) -> [u32; 2] {
    let t = thread_idx().x % THREADS;
    let mut found = [0u32; 2];
    for k in 0..len.div_ceil(THREADS) {
        let i = k * THREADS + t;
        if i < len {
            let around = all[i / 32];
            let from = around.head_before(i);
            if from != NONE {
                let to = around.head_behind(i);
                if to - from <= SHORT {
                    assume((i as usize) < ROOM && (to as usize) < ROOM);
                    let mut rank = from;
                    if has_values {
                        rank += rank_of::<W>(words, i, from, to);
                        assume((rank as usize) < ROOM);
                        places[rank] = i as u16;
                    } else {
                        rank += words_below::<W>(words, words[i], from, to);
                        assume((rank as usize) < ROOM);
                        rank += atomic_add(&mut counters[rank], 1);
                        assume((rank as usize) < ROOM);
                    }
                    sorted[rank] = words[i];
                    found[0] |= 1 << k;
                } else {
                    found[1] |= 1 << k;
                }
            }
        }
    }
    found
}

/// How many words of `from..to` are before word `i`; equal ones stay in their order.
#[gpu_fn]
fn rank_of<W: Word>(words: &[W], i: u32, from: u32, to: u32) -> u32 {
    let mine = words[i];
    let mut rank = 0u32;
    #[unroll(8)]
    for other in from..to {
        assume((other as usize) < ROOM);
        if words[other].is_before(other, mine, i) {
            rank += 1;
        }
    }
    rank
}

/// How many words of `from..to` are below one.
#[gpu_fn]
fn words_below<W: Word>(words: &[W], one: W, from: u32, to: u32) -> u32 {
    let mut below = 0u32;
    #[unroll(8)]
    for other in from..to {
        assume((other as usize) < ROOM);
        below = below.wrapping_sub(words[other].borrow(one));
    }
    below
}

/// Sorts `len` words with their places by all of their digits. It is a barrier.
#[gpu_fn]
fn sort_digits<K: Key>(words: &mut [K::Word], places: &mut [u16], counters: &mut [u32], len: u32) {
    for digit in 0..K::DIGITS as u32 {
        let shift = digit * 8;
        sort_by::<K::Word>(words, places, counters, len, shift, |word, _| word.half(shift));
    }
}

/// A digit that rises with positions: one for each segment that is not short, and others for what lies between such segments.
#[gpu_fn]
fn group_of(all: &[Around], i: u32) -> u32 {
    let around = all[i / 32];
    let from = around.head_before(i);
    if from == NONE {
        return 0;
    }
    let is_short = around.head_behind(i) - from <= SHORT;
    from / GROUP * 2 + if is_short { 0 } else { 1 }
}

/// Writes the sorted words of some of the thread's positions, [`THREADS`] apart, that have a bit each.
#[allow(clippy::too_many_arguments)]
#[gpu_fn]
fn write_some<K: Key, V: Value>(
    words: &[K::Word],
    places: &[u16],
    values: &[V],
    to: &mut [K],
    to_values: &mut [V],
    base: usize,
    len: u32,
    which: u32,
    has_values: bool,
    descending: bool,
) {
    let t = thread_idx().x % THREADS;
    for k in 0..len.div_ceil(THREADS) {
        if which >> k & 1 == 1 {
            let i = (k * THREADS + t) as usize;
            to[base + i] = key_of::<K>(words[i], descending);
            if has_values {
                to_values[base + i] = values[base + places[i] as usize];
            }
        }
    }
}

/// Writes a sorted tile.
#[allow(clippy::too_many_arguments)]
#[gpu_fn]
fn write<K: Key, V: Value>(
    words: &[K::Word],
    places: &[u16],
    values: &[V],
    to: &mut [K],
    to_values: &mut [V],
    tile: Tile,
    has_values: bool,
    descending: bool,
) {
    let first = tile.from + tile.at;
    for i in (thread_idx().x % THREADS..tile.len).step_by(THREADS as usize) {
        to[first + i] = key_of::<K>(words[i], descending);
        if has_values {
            to_values[first + i] = values[first + places[i] as u32];
        }
    }
}
