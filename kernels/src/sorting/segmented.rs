//! The kernels that sort segments: short ones by ranks, and long ones in tiles that are then merged.

use warpsmith::prelude::*;

use super::key::{Key, Value, Word, key_of, word_of};
use super::long_segments::{
    Begun, MOST_LONG, RANGE, ROOM, SHORT, Tile, begun, check_offsets, list_long, tile_in,
};
use super::network::{THREADS, sort_shared};

/// Keys of a thread.
const ITEMS: usize = ROOM / THREADS as usize;

/// Sorts all short segments, and the tiles of long ones.
///
/// Tiles of a segment that is merged an odd number of times are written to `spare`, all else to `y`. `longest[0]` becomes at least the
/// number of passes that the longest segment needs.
#[gpu_kernel(launch_bounds(THREADS), noalias)]
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
    #[comptime] has_values: bool,
    #[comptime] descending: bool,
) {
    let mut words = shared!([K::Word; ROOM]);
    let mut places = shared!([u32; ROOM]);
    let mut list = shared!([u32; MOST_LONG + 1]);
    check_offsets(offsets, x.len());
    let mut range = block_idx().x as usize;
    while range < ranges {
        let base = range * RANGE;
        let begun = begun(offsets, base);
        if uniform(begun.first) < uniform(begun.end) {
            sort_short::<K, V>(
                x,
                x_values,
                offsets,
                y,
                y_values,
                begun,
                base,
                &mut words,
                &mut places,
                has_values,
                descending,
            );
        }
        let count = list_long(offsets, x.len(), begun, &mut list);
        for k in 0..uniform(count) {
            let tile = tile_in(offsets, x.len(), list[k], base);
            if uniform(tile.len) > 0 {
                sort_tile::<K>(x, tile, &mut words, &mut places, descending);
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
                if thread_idx().x == 0 && tile.at == 0 {
                    atomic_max(&mut longest[0], tile.passes());
                }
            }
            sync_threads();
        }
        sync_threads();
        range += grid_dim().x as usize;
    }
}

/// Sorts the short segments that begin in a range. The place of a key in its segment is the number of keys before it in the order.
#[allow(clippy::too_many_arguments)]
#[gpu_fn]
fn sort_short<K: Key, V: Value>(
    x: &[K],
    x_values: &[V],
    offsets: &[u32],
    y: &mut [K],
    y_values: &mut [V],
    begun: Begun,
    base: usize,
    words: &mut [K::Word],
    places: &mut [u32],
    has_values: bool,
    descending: bool,
) {
    let mut sorted = shared!([K::Word; ROOM]);
    let t = (thread_idx().x % THREADS) as usize;
    let len = ROOM.min(x.len() - base);
    for i in (t..len).step_by(THREADS as usize) {
        words[i] = word_of::<K>(x[base + i], descending);
    }
    sync_threads();
    let mut is_mine = [false; ITEMS];
    #[unroll]
    for k in 0..ITEMS {
        let i = k * THREADS as usize + t;
        if i < len {
            let [from, to] = short_around(offsets, begun, base, i, len);
            is_mine[k] = from < to;
            if from < to {
                let rank = from + rank_of::<K::Word>(words, i, from, to);
                sorted[rank] = words[i];
                places[rank] = i as u32;
            }
        }
    }
    sync_threads();
    #[unroll]
    for k in 0..ITEMS {
        let i = k * THREADS as usize + t;
        if is_mine[k] {
            y[base + i] = key_of::<K>(sorted[i], descending);
            if has_values {
                y_values[base + i] = x_values[base + places[i] as usize];
            }
        }
    }
    sync_threads();
}

/// The short segment with position `base + i`, from `base` on; empty if that is in none that begins in the range.
#[gpu_fn]
fn short_around(offsets: &[u32], begun: Begun, base: usize, i: usize, len: usize) -> [usize; 2] {
    // The last segment that begins there or before.
    let (mut first, mut count) = (begun.first, begun.end - begun.first);
    while count > 1 {
        let half = count / 2;
        if offsets[first + half] as usize <= base + i {
            first += half;
        }
        count -= half;
    }
    let (from, to) = (offsets[first] as usize, offsets[first + 1] as usize);
    let is_around = from >= base && from <= base + i && base + i < to && to <= base + len;
    if is_around && to - from <= SHORT { [from - base, to - base] } else { [0, 0] }
}

/// How many words of `from..to` are before word `i`; equal ones stay in their order.
#[gpu_fn]
fn rank_of<W: Word>(words: &[W], i: usize, from: usize, to: usize) -> usize {
    let mine = words[i];
    let mut rank = 0usize;
    for other in from..to {
        let word = words[other];
        if word < mine || word == mine && other < i {
            rank += 1;
        }
    }
    rank
}

/// Sorts the words of a tile with their places in it.
#[gpu_fn]
fn sort_tile<K: Key>(x: &[K], tile: Tile, words: &mut [K::Word], places: &mut [u32], descending: bool) {
    let t = thread_idx().x % THREADS;
    for i in (t as usize..ROOM).step_by(THREADS as usize) {
        let is_there = i < tile.len;
        words[i] =
            if is_there { word_of::<K>(x[tile.from + tile.at + i], descending) } else { K::Word::LAST };
        places[i] = if is_there { i as u32 } else { u32::MAX };
    }
    sync_threads();
    if uniform(tile.len) <= ROOM / 4 {
        sort_shared::<K::Word, { ROOM / 4 }>(words, places, t);
    } else if uniform(tile.len) <= ROOM / 2 {
        sort_shared::<K::Word, { ROOM / 2 }>(words, places, t);
    } else {
        sort_shared::<K::Word, ROOM>(words, places, t);
    }
}

/// Writes a sorted tile.
#[allow(clippy::too_many_arguments)]
#[gpu_fn]
fn write<K: Key, V: Value>(
    words: &[K::Word],
    places: &[u32],
    values: &[V],
    to: &mut [K],
    to_values: &mut [V],
    tile: Tile,
    has_values: bool,
    descending: bool,
) {
    let first = tile.from + tile.at;
    for i in (thread_idx().x as usize..tile.len).step_by(THREADS as usize) {
        to[first + i] = key_of::<K>(words[i], descending);
        if has_values {
            to_values[first + i] = values[first + places[i] as usize];
        }
    }
}

/// Merges neighbouring runs of each long segment: of `2^pass` tiles each. Segments that are sorted already do not change.
#[gpu_kernel(launch_bounds(THREADS), noalias)]
pub fn merge_segments<K: Key, V: Value>(
    offsets: &[u32],
    y: &mut [K],
    y_values: &mut [V],
    spare: &mut [K],
    spare_values: &mut [V],
    longest: &[u32],
    pass: u32,
    ranges: usize,
    #[comptime] has_values: bool,
    #[comptime] descending: bool,
) {
    if uniform(longest[0]) <= pass {
        return;
    }
    let mut list = shared!([u32; MOST_LONG + 1]);
    let mut range = block_idx().x as usize;
    while range < ranges {
        let base = range * RANGE;
        let begun = begun(offsets, base);
        let count = list_long(offsets, y.len(), begun, &mut list);
        for k in 0..uniform(count) {
            let tile = tile_in(offsets, y.len(), list[k], base);
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
        range += grid_dim().x as usize;
    }
}

/// Two neighbouring runs of a segment: the second begins where the first one ends.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Runs {
    /// Where the first one begins.
    first: usize,
    /// Keys of the first.
    a: usize,
    /// Keys of the second.
    b: usize,
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
    let mut words = shared!([K::Word; ROOM]);
    let mut merged = shared!([K::Word; ROOM]);
    let mut places = shared!([u32; ROOM]);
    let t = (thread_idx().x % THREADS) as usize;
    let width = ROOM << pass;
    let first = tile.at / (2 * width) * (2 * width);
    let a = width.min(tile.of - first);
    let runs = Runs { first: tile.from + first, a, b: width.min(tile.of - first - a) };
    // The even lanes find where the tile begins in the first run, and the odd ones where it ends.
    let before = tile.at - first;
    let split =
        split::<K>(from, runs, if t.is_multiple_of(2) { before } else { before + tile.len }, descending);
    let (a_from, a_to) = (shfl(split, 0) as usize, shfl(split, 1) as usize);
    let of_a = a_to - a_from;
    let a_first = runs.first + a_from;
    let b_first = runs.first + runs.a + (before - a_from);
    let source = |i: usize| if i < of_a { a_first + i } else { b_first + (i - of_a) };
    for i in (t..tile.len).step_by(THREADS as usize) {
        words[i] = word_of::<K>(from[source(i)], descending);
    }
    sync_threads();
    merge_shared::<K::Word>(&words, of_a, tile.len, &mut merged, &mut places, t * ITEMS);
    sync_threads();
    for i in (t..tile.len).step_by(THREADS as usize) {
        to[tile.from + tile.at + i] = key_of::<K>(merged[i], descending);
        if has_values {
            to_values[tile.from + tile.at + i] = values[source(places[i] as usize)];
        }
    }
    sync_threads();
}

/// How many of the first `count` keys of two merged runs are of the first one.
#[gpu_fn]
fn split<K: Key>(keys: &[K], runs: Runs, count: usize, descending: bool) -> u32 {
    let (mut least, mut most) = (count.saturating_sub(runs.b), count.min(runs.a));
    while least < most {
        let middle = (least + most) / 2;
        let a = word_of::<K>(keys[runs.first + middle], descending);
        let b = word_of::<K>(keys[runs.first + runs.a + (count - 1 - middle)], descending);
        if a <= b {
            least = middle + 1;
        } else {
            most = middle;
        }
    }
    least as u32
}

/// Merges the first `of_a` words with those behind them, [`ITEMS`] from number `first` of the result on.
#[gpu_fn]
fn merge_shared<W: Word>(
    words: &[W],
    of_a: usize,
    len: usize,
    merged: &mut [W],
    places: &mut [u32],
    first: usize,
) {
    if first >= len {
        return;
    }
    let (mut least, mut most) = (first.saturating_sub(len - of_a), first.min(of_a));
    while least < most {
        let middle = (least + most) / 2;
        if words[middle] <= words[of_a + (first - 1 - middle)] {
            least = middle + 1;
        } else {
            most = middle;
        }
    }
    let (mut a, mut b) = (least, of_a + (first - least));
    #[unroll]
    for k in 0..ITEMS {
        if first + k < len {
            let is_a = a < of_a && (b >= len || words[a] <= words[b]);
            let at = if is_a { a } else { b };
            merged[first + k] = words[at];
            places[first + k] = at as u32;
            if is_a {
                a += 1;
            } else {
                b += 1;
            }
        }
    }
}
