//! The kernel that merges the sorted tiles of long segments.

use warpsmith::prelude::*;

use super::key::{Key, Value, Word, key_of, word_of};
use super::ranges::{RANGE, ROOM, THREADS, Tile, find_tiles, offsets_below, offsets_below_next};
use super::tile::{ITEMS, SLOTS, merge_words, slot};
use super::warp_search::first_without;

/// Blocks that a multiprocessor runs at once: a quarter of its threads, which hold many words each.
const RESIDENT: u32 = 4;

/// Merges neighbouring runs of each long segment: of `2^pass` tiles each. Segments that are sorted already do not change. A block takes
/// `each` ranges.
#[gpu_kernel(launch_bounds(THREADS, RESIDENT), noalias)]
pub fn merge_segments<K: Key, V: Value>(
    offsets: &[u32],
    y: &mut [K],
    y_values: &mut [V],
    spare: &mut [K],
    spare_values: &mut [V],
    longest: &[u32],
    pass: u32,
    ranges: usize,
    each: usize,
    #[comptime] has_values: bool,
    #[comptime] descending: bool,
) {
    if uniform(longest[0]) <= pass {
        return;
    }
    let mut tiles = shared!([Tile; 2]);
    let begin = block_idx().x as usize * each;
    let mut first = uniform(offsets_below(offsets, begin * RANGE));
    for range in begin..ranges.min(begin + each) {
        let base = range * RANGE;
        let next = uniform(offsets_below_next(offsets, first, base + RANGE));
        find_tiles(offsets, y.len(), base, first, next, &mut tiles);
        sync_threads();
        for k in 0..2 {
            let tile = tiles[k];
            let passes = tile.passes();
            if uniform(tile.len) > 0 && uniform(passes) > pass {
                if uniform(passes - pass).is_multiple_of(2) {
                    merge_tile::<K, V>(y, y_values, spare, spare_values, tile, pass, has_values, descending);
                } else {
                    merge_tile::<K, V>(spare, spare_values, y, y_values, tile, pass, has_values, descending);
                }
            }
        }
        sync_threads();
        first = next;
    }
}

/// Two neighbouring runs of a segment: the second begins where the first one ends.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Runs {
    /// Where the first one begins.
    first: u32,
    /// Keys of the first.
    a: u32,
    /// Keys of the second.
    b: u32,
}

/// Writes a tile of two merged runs.
#[allow(clippy::too_many_arguments)]
#[gpu_fn]
fn merge_tile<K: Key, V: Value>(
    from: &[K],
    values: &[V],
    to: &mut [K],
    to_values: &mut [V],
    tile: Tile,
    pass: u32,
    has_values: bool,
    descending: bool,
) {
    let mut splits = shared!([u32; 2]);
    let mut words = shared!([K::Word; SLOTS]);
    let mut places = shared!([u16; SLOTS]);
    let t = thread_idx().x % THREADS;
    // Tiles of the first run, a power of two.
    let tiles = 1 << pass;
    let first = tile.at / ROOM as u32 / (2 * tiles) * (2 * tiles) * ROOM as u32;
    let a = (tiles * ROOM as u32).min(tile.of - first);
    let runs = Runs { first: tile.from + first, a, b: (tiles * ROOM as u32).min(tile.of - first - a) };
    let (before, len) = (tile.at - first, tile.len);
    if t < 64 {
        // A warp finds where the tile begins in the first run, and another one where it ends.
        let split = split::<K>(from, runs, before + t / 32 * len, descending);
        if t.is_multiple_of(32) {
            splits[t / 32] = split;
        }
    }
    sync_threads();
    let (a_from, of_a) = (splits[0], splits[1] - splits[0]);
    let a_first = runs.first + a_from;
    let b_first = runs.first + runs.a + before - a_from;
    #[unroll]
    for k in 0..ITEMS as u32 {
        let i = k * THREADS + t;
        // Words of the second run lie behind those of the first in the order of places, and are read backwards.
        let mut word = K::Word::LAST;
        let mut place = of_a + (ROOM as u32 - 1 - i);
        if i < of_a {
            word = word_of::<K>(from[a_first + i], descending);
            place = i;
        } else if place < len {
            word = word_of::<K>(from[b_first + (place - of_a)], descending);
        }
        words[slot(i)] = word;
        if has_values {
            places[slot(i)] = place as u16;
        }
    }
    sync_threads();
    merge_words::<K::Word>(&mut words, &mut places, has_values);
    let to_first = tile.from + tile.at;
    #[unroll]
    for k in 0..ITEMS as u32 {
        let i = k * THREADS + t;
        if i < len {
            to[to_first + i] = key_of::<K>(words[slot(i)], descending);
            if has_values {
                let place = places[slot(i)] as u32;
                to_values[to_first + i] =
                    values[if place < of_a { a_first + place } else { b_first + (place - of_a) }];
            }
        }
    }
    sync_threads();
}

/// How many of the first `count` keys of two merged runs are of the first one, found by all lanes of a warp.
#[gpu_fn]
fn split<K: Key>(keys: &[K], runs: Runs, count: u32, descending: bool) -> u32 {
    first_without(count.saturating_sub(runs.b), count.min(runs.a), |at| {
        let a = word_of::<K>(keys[runs.first + at], descending);
        a <= word_of::<K>(keys[runs.first + runs.a + (count - 1 - at)], descending)
    })
}
