//! The words that a block sorts or merges at once, in shared memory: how they get there, and out.

use warpsmith::prelude::*;

use super::key::{Key, Value, Word, key_of, word_of};
use super::ranges::{ROOM, THREADS};

/// Words of a thread of a block that sorts.
pub const ITEMS: usize = ROOM / THREADS as usize;
/// How far a thread's word is from its next in shared memory. Neither neighbouring positions nor neighbouring threads share a bank.
pub const STRIDE: u32 = THREADS + 32 / ITEMS as u32;
/// Words of shared memory that [`ROOM`] of them take.
pub const SLOTS: usize = ITEMS * STRIDE as usize;

/// Where the word of a position is in shared memory.
#[gpu_fn]
pub fn slot(position: u32) -> u32 {
    position % ITEMS as u32 * STRIDE + position / ITEMS as u32
}

/// The words that one of `T` threads loads, of positions that are `T` apart, `N` at most. There are `len` positions, and `source` has the
/// index of a position's key in `x`; behind the last position are last words.
#[gpu_fn]
pub fn load<K: Key, const T: u32, const N: usize>(
    x: &[K],
    len: u32,
    source: impl Fn(u32) -> usize,
    descending: bool,
) -> [K::Word; N] {
    let mut loaded = [K::Word::LAST; N];
    #[unroll]
    for k in 0..N as u32 {
        let i = k * T + thread_idx().x % T;
        if i < len {
            let from = source(i);
            assume(from < x.len());
            loaded[k] = word_of::<K>(x[from], descending);
        }
    }
    loaded
}

/// Writes these words to their slots.
#[gpu_fn]
pub fn store<W: Word, const T: u32, const N: usize>(loaded: &[W; N], words: &mut [W]) {
    #[unroll]
    for k in 0..N {
        words[slot(k as u32 * T + thread_idx().x % T)] = loaded[k];
    }
}

/// Writes the keys of the first `len` words to `y`, from index `first` on. With values, it writes these too: `places` has the position that each
/// word had before, and `source` the index of a position's value in `values`. All `T` threads of a block call it.
#[allow(clippy::too_many_arguments)]
#[gpu_fn]
pub fn write<K: Key, V: Value, const T: u32>(
    words: &[K::Word],
    places: &[u16],
    values: &[V],
    y: &mut [K],
    y_values: &mut [V],
    first: usize,
    len: u32,
    source: impl Fn(u32) -> usize,
    has_values: bool,
    descending: bool,
) {
    assert!(first + len as usize <= y.len(), "an offset is beyond the keys");
    #[unroll]
    for k in 0..ROOM as u32 / T {
        let i = k * T + thread_idx().x % T;
        if i < len {
            assume(first + (i as usize) < y.len());
            y[first + i as usize] = key_of::<K>(words[slot(i)], descending);
        }
    }
    if has_values {
        assert!(values.len() >= y.len() && y_values.len() >= y.len());
        #[unroll]
        for k in 0..ROOM as u32 / T {
            let i = k * T + thread_idx().x % T;
            if i < len {
                let from = source(places[slot(i)] as u32);
                assume(from < values.len() && first + (i as usize) < y_values.len());
                y_values[first + i as usize] = values[from];
            }
        }
    }
}
