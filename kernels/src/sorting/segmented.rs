//! The kernel that sorts segments: those that a block has room for, and the tiles of long ones, which are then merged.

use warpsmith::prelude::*;

use super::key::{Key, Value, Word, word_of};
use super::ranges::{HEADS, ROOM, THREADS, check_offsets, mark_heads, offsets_below, passes};
use super::tile::{Bounds, ITEMS, SLOTS, TOP_LEVEL, slot, sort_words, write};

/// Blocks that a multiprocessor runs at once: a quarter of its threads, which hold many words each.
const RESIDENT: u32 = 4;

/// Sorts all segments of up to 2048 keys, and the tiles of longer ones. A block takes what begins in `span` positions.
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
    span: usize,
    #[comptime] has_values: bool,
    #[comptime] descending: bool,
) {
    let mut words = shared!([K::Word; SLOTS]);
    let mut places = shared!([u16; SLOTS]);
    let mut heads = shared!([u32; HEADS]);
    let mut level = shared!([u32; 1]);
    check_offsets(offsets, x.len());
    let t = thread_idx().x % THREADS;
    let begin = block_idx().x as usize * span;
    let end = begin + span;
    // A long segment that begins before may have tiles here.
    let mut s = uniform(offsets_below(offsets, begin)).saturating_sub(1);
    while (s as usize) + 1 < offsets.len() && (uniform(offsets[s]) as usize) < end {
        let from = uniform(offsets[s]) as usize;
        let of = uniform(offsets[s + 1]) as usize - from;
        if of > ROOM {
            let passes = passes(of);
            let mut at = begin.saturating_sub(from).div_ceil(ROOM) * ROOM;
            while at < of && from + at < end {
                let len = (of - at).min(ROOM) as u32;
                let source = |place: u32| from + at + place as usize;
                place::<K::Word>(&load::<K>(x, from + at, len, descending), &mut words);
                if t == 0 {
                    atomic_max(&mut longest[0], passes);
                }
                sync_threads();
                sort_words::<K::Word>(&mut words, &mut places, Bounds::NONE, TOP_LEVEL, len, has_values);
                if passes.is_multiple_of(2) {
                    write::<K, V, THREADS>(
                        &words,
                        &places,
                        x_values,
                        y,
                        y_values,
                        from + at,
                        len,
                        source,
                        has_values,
                        descending,
                    );
                } else {
                    write::<K, V, THREADS>(
                        &words,
                        &places,
                        x_values,
                        spare,
                        spare_values,
                        from + at,
                        len,
                        source,
                        has_values,
                        descending,
                    );
                }
                sync_threads();
                at += ROOM;
            }
            s += 1;
        } else if from < begin {
            s += 1;
        } else {
            let loaded = load::<K>(x, from, ROOM as u32, descending);
            if t == 0 {
                level[0] = 0;
            }
            let next = mark_heads(offsets, s, end, &mut heads);
            place::<K::Word>(&loaded, &mut words);
            let len = uniform(offsets[next]) - from as u32;
            let bounds = Bounds::of(&heads);
            atomic_max(&mut level[0], bounds.level(len));
            sync_threads();
            sort_words::<K::Word>(&mut words, &mut places, bounds, uniform(level[0]), len, has_values);
            write::<K, V, THREADS>(
                &words,
                &places,
                x_values,
                y,
                y_values,
                from,
                len,
                |place| from + place as usize,
                has_values,
                descending,
            );
            sync_threads();
            s = next;
        }
    }
}

/// The words of `len` keys behind position `from` that a thread loads, [`THREADS`] apart; the last word where there are none.
#[gpu_fn]
fn load<K: Key>(x: &[K], from: usize, len: u32, descending: bool) -> [K::Word; ITEMS] {
    let mut loaded = [K::Word::LAST; ITEMS];
    let len = x.len().saturating_sub(from).min(len as usize) as u32;
    #[unroll]
    for k in 0..ITEMS as u32 {
        let i = k * THREADS + thread_idx().x % THREADS;
        if i < len {
            assume(from + (i as usize) < x.len());
            loaded[k] = word_of::<K>(x[from + i as usize], descending);
        }
    }
    loaded
}

/// Writes these words to shared memory.
#[gpu_fn]
fn place<W: Word>(loaded: &[W; ITEMS], words: &mut [W]) {
    #[unroll]
    for k in 0..ITEMS {
        words[slot(k as u32 * THREADS + thread_idx().x % THREADS)] = loaded[k];
    }
}
