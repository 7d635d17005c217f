//! The kernel that sorts segments: those that a block has room for, and the tiles of long ones, which are then merged.

use warpsmith::prelude::*;

use super::key::{Key, Value};
use super::ranges::{HEADS, ROOM, THREADS, check_offsets, mark_heads, offsets_below, passes};
use super::room::{ITEMS, SLOTS, load, store, write};
use super::segment_network::{Bounds, TOP_LEVEL, sort_words};

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
                let (first, len) = (from + at, (of - at).min(ROOM) as u32);
                let source = |place: u32| first + place as usize;
                let loaded = load::<K, THREADS, ITEMS>(x, within(x.len(), first, len), source, descending);
                store::<K::Word, THREADS, ITEMS>(&loaded, &mut words);
                if t == 0 {
                    atomic_max(&mut longest[0], passes);
                }
                sync_threads();
                sort_words::<K::Word>(&mut words, &mut places, Bounds::NONE, TOP_LEVEL, len, has_values);
                let write_to = |to: &mut [K], to_values: &mut [V]| {
                    write::<K, V, THREADS>(
                        &words, &places, x_values, to, to_values, first, len, source, has_values, descending,
                    );
                };
                if passes.is_multiple_of(2) {
                    write_to(y, y_values);
                } else {
                    write_to(spare, spare_values);
                }
                sync_threads();
                at += ROOM;
            }
            s += 1;
        } else if from < begin {
            s += 1;
        } else {
            let source = |place: u32| from + place as usize;
            let loaded = load::<K, THREADS, ITEMS>(x, within(x.len(), from, ROOM as u32), source, descending);
            if t == 0 {
                level[0] = 0;
            }
            let next = mark_heads(offsets, s, end, &mut heads);
            store::<K::Word, THREADS, ITEMS>(&loaded, &mut words);
            let len = uniform(offsets[next]) - from as u32;
            let bounds = Bounds::of(&heads);
            atomic_max(&mut level[0], bounds.level(len));
            sync_threads();
            sort_words::<K::Word>(&mut words, &mut places, bounds, uniform(level[0]), len, has_values);
            write::<K, V, THREADS>(
                &words, &places, x_values, y, y_values, from, len, source, has_values, descending,
            );
            sync_threads();
            s = next;
        }
    }
}

/// How many of `len` positions from `first` on are below `all`.
#[gpu_fn]
fn within(all: usize, first: usize, len: u32) -> u32 {
    all.saturating_sub(first).min(len as usize) as u32
}
