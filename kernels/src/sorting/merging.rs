//! The kernel that merges the sorted tiles of long segments.

use warpsmith::prelude::*;

use super::key::{Key, Value, Word, word_of};
use super::ranges::{RANGE, ROOM, Tile, find_tiles, offsets_below, offsets_below_next};
use super::room::{SLOTS, load, slot, store, write};
use super::warp_search::first_without;

/// Threads of a block.
pub const THREADS: u32 = 256;
/// Words of a thread.
const ITEMS: usize = ROOM / THREADS as usize;
/// Blocks that a multiprocessor runs at once: three quarters of its threads.
const RESIDENT: u32 = 6;

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
    let mut merged = shared!([K::Word; SLOTS]);
    let mut places = shared!([u16; SLOTS]);
    let t = thread_idx().x % THREADS;
    assert!(
        tile.from as usize + tile.of as usize <= from.len().min(to.len()),
        "an offset is beyond the keys"
    );
    // Tiles of the first run, a power of two.
    let tiles = 1 << pass;
    let begin = tile.at / ROOM as u32 / (2 * tiles) * (2 * tiles) * ROOM as u32;
    let a = (tiles * ROOM as u32).min(tile.of - begin);
    let runs = Runs { first: tile.from + begin, a, b: (tiles * ROOM as u32).min(tile.of - begin - a) };
    let (before, len) = (tile.at - begin, tile.len);
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
    // Words of the first run come before those of the second.
    let source =
        |place: u32| (if place < of_a { a_first + place } else { b_first + (place - of_a) }) as usize;
    let loaded = load::<K, THREADS, ITEMS>(from, len, source, descending);
    store::<K::Word, THREADS, ITEMS>(&loaded, &mut words);
    sync_threads();
    merge_words::<K::Word>(&words, of_a, len, &mut merged, &mut places, has_values);
    sync_threads();
    let first = (tile.from + tile.at) as usize;
    write::<K, V, THREADS>(
        &merged, &places, values, to, to_values, first, len, source, has_values, descending,
    );
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

/// Merges the first `of_a` words with those behind them, [`ITEMS`] by each thread, and writes to `places` where they were.
#[gpu_fn]
fn merge_words<W: Word>(
    words: &[W],
    of_a: u32,
    len: u32,
    merged: &mut [W],
    places: &mut [u16],
    has_places: bool,
) {
    let first = thread_idx().x % THREADS * ITEMS as u32;
    if first >= len {
        return;
    }
    let word = |i: u32| {
        let at = slot(i) as usize;
        assume(at < SLOTS);
        words[at]
    };
    let (mut least, mut most) = (first.saturating_sub(len - of_a), first.min(of_a));
    while least < most {
        let middle = (least + most) / 2;
        if word(middle) <= word(of_a + (first - 1 - middle)) {
            least = middle + 1;
        } else {
            most = middle;
        }
    }
    let (mut a, mut b) = (least, of_a + (first - least));
    let (mut of_first, mut of_second) = (W::LAST, W::LAST);
    if a < of_a {
        of_first = word(a);
    }
    if b < len {
        of_second = word(b);
    }
    #[unroll]
    for k in 0..ITEMS as u32 {
        if first + k < len {
            let is_a = a < of_a && (b >= len || of_first <= of_second);
            merged[slot(first + k)] = if is_a { of_first } else { of_second };
            let at = if is_a { a } else { b };
            if has_places {
                places[slot(first + k)] = at as u16;
            }
            // Of the last word of a run, what follows is not used.
            let next = if at + 1 < len { word(at + 1) } else { W::LAST };
            if is_a {
                a += 1;
                of_first = next;
            } else {
                b += 1;
                of_second = next;
            }
        }
    }
}
