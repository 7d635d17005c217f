//! The largest or smallest keys of each row of a matrix: their last one is found digit by digit, and they are sorted in shared memory.

use warpsmith::prelude::*;

use super::count::before_digit;
use super::key::{DIGIT_BITS, Key, RADIX, Word, key_of, word_of};
use super::network::{THREADS, sort_shared};

/// Rows, and the keys of each that are written. Lengths are in elements.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct TopRows {
    /// Number of rows.
    pub rows: usize,
    /// Keys of a row.
    pub cols: usize,
    /// Keys of a row that are written: at least one, at most all.
    pub count: usize,
    /// From one row of the input to the next.
    pub x_stride: usize,
    /// From one row of the output to the next.
    pub y_stride: usize,
    /// From one row of the columns to the next.
    pub columns_stride: usize,
}

/// The last word of a result.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Last<W> {
    word: W,
    /// Its rank among the keys that equal it, from 1.
    rank: u32,
    /// The keys that equal it.
    equal: u32,
}

/// The digit of the element with a rank, among elements of which each digit's are counted.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Found {
    digit: u32,
    /// The elements with lower digits.
    before: u32,
    /// The elements with this digit.
    count: u32,
}

/// Writes the first keys of each row in the order of words to `y`, and the columns where they are, with a block a row.
///
/// Keys that are equal are in the order of their columns. A row is read once for each digit of a key and once more to collect the
/// keys, and four times more if only some of the keys that equal the last one are among the first. `MOST` is a power of two, at least
/// the number of keys that are written.
#[gpu_kernel(launch_bounds(THREADS), noalias)]
pub fn top_rows<K: Key, const MOST: usize>(
    x: &[K],
    y: &mut [K],
    columns: &mut [u32],
    of: TopRows,
    #[comptime] descending: bool,
) {
    let mut words = shared!([K::Word; MOST]);
    let mut places = shared!([u32; MOST]);
    let mut taken = shared!([u32; 1]);
    let t = thread_idx().x % THREADS;
    let mut row = block_idx().x as usize;
    while row < of.rows {
        let from = &x[row * of.x_stride..][..of.cols];
        let last = last_of::<K>(from, of.count as u32, t, descending);
        let mut end = u32::MAX;
        if uniform(last.equal) > uniform(last.rank) {
            end = last_column::<K>(from, last, t, descending);
        }
        if t == 0 {
            taken[0] = 0;
        }
        sync_threads();
        for i in (t as usize..of.cols).step_by(THREADS as usize) {
            let word = word_of::<K>(from[i], descending);
            if word < last.word || word == last.word && i as u32 <= end {
                let at = atomic_add(&mut taken[0], 1) as usize;
                assume(at < MOST);
                words[at] = word;
                places[at] = i as u32;
            }
        }
        for at in (of.count + t as usize..MOST).step_by(THREADS as usize) {
            words[at] = K::Word::LAST;
            places[at] = u32::MAX;
        }
        sync_threads();
        sort_shared::<K::Word, MOST>(&mut words, &mut places, t);
        let to = &mut y[row * of.y_stride..][..of.count];
        let columns_to = &mut columns[row * of.columns_stride..][..of.count];
        for at in (t as usize..of.count).step_by(THREADS as usize) {
            to[at] = key_of::<K>(words[at], descending);
            columns_to[at] = places[at];
        }
        row += grid_dim().x as usize;
        sync_threads();
    }
}

/// The last of the first `count` words of a row.
#[gpu_fn]
fn last_of<K: Key>(from: &[K], count: u32, t: u32, descending: bool) -> Last<K::Word> {
    let mut last = Last { word: K::Word::ZERO, rank: count, equal: 0 };
    for place in 0..K::DIGITS {
        let shift = (K::DIGITS - 1 - place) as u32 * DIGIT_BITS;
        let found = digit_of_rank(last.rank, t, |counts| {
            for i in (t as usize..from.len()).step_by(THREADS as usize) {
                let word = word_of::<K>(from[i], descending);
                if word.agrees(last.word, shift + DIGIT_BITS) {
                    atomic_add(&mut counts[word.digit(shift)], 1);
                }
            }
        });
        last.word = last.word.with_digit(shift, found.digit);
        last.rank -= found.before;
        last.equal = found.count;
    }
    last
}

/// The column of the last key, where others that equal it are behind it.
#[gpu_fn]
fn last_column<K: Key>(from: &[K], last: Last<K::Word>, t: u32, descending: bool) -> u32 {
    let mut end = 0u32;
    let mut rank = last.rank;
    for place in 0..4 {
        let shift = (3 - place) * DIGIT_BITS;
        let found = digit_of_rank(rank, t, |counts| {
            for i in (t as usize..from.len()).step_by(THREADS as usize) {
                let column = i as u32;
                if word_of::<K>(from[i], descending) == last.word && column.agrees(end, shift + DIGIT_BITS) {
                    atomic_add(&mut counts[column.digit(shift)], 1);
                }
            }
        });
        end = end.with_digit(shift, found.digit);
        rank -= found.before;
    }
    end
}

/// The digit of the element with a rank, which counts from 1, in all threads of the block. `count` counts each digit of the elements.
#[gpu_fn]
fn digit_of_rank(rank: u32, t: u32, mut count: impl FnMut(&mut [u32])) -> Found {
    let mut counts = shared!([u32; RADIX]);
    let mut found = shared!([Found; 1]);
    if t < RADIX as u32 {
        counts[t] = 0;
    }
    sync_threads();
    count(&mut counts);
    sync_threads();
    let of_digit = if t < RADIX as u32 { counts[t] } else { 0 };
    let before = before_digit::<u32>(of_digit, t);
    if before < rank && rank <= before + of_digit {
        found[0] = Found { digit: t, before, count: of_digit };
    }
    sync_threads();
    found[0]
}
