//! A sort of the words of a block by a network of comparisons, which can sort many segments at once.
//!
//! A comparison puts the lesser of two words into the earlier position, and both stay where they are if a segment begins between them. So
//! the network sorts each segment where it is: K. Batcher's bitonic network, whose merges read the second half backwards. A thread holds
//! [`ITEMS`] neighbouring words. It exchanges words with its warp by shuffles, and with other warps through shared memory.

use warpsmith::prelude::*;

use super::key::Word;
use super::ranges::{ROOM, THREADS, heads_around};
use super::room::{ITEMS, SLOTS, STRIDE};

/// The level at which a thread's own words are sorted: those of level `k` are sorted in groups of `2^k`.
const OWN_LEVEL: u32 = ITEMS.ilog2();
/// The level at which the words of a block are.
pub const TOP_LEVEL: u32 = ROOM.ilog2();
/// A bit for each of a thread's words.
const ALL: u32 = (1 << ITEMS) - 1;
/// Threads of a warp.
const WARP: u32 = 32;

/// The level that sorts a segment of `len` words.
#[gpu_fn]
fn level_of(len: u32) -> u32 {
    if len <= ITEMS as u32 { OWN_LEVEL } else { 32 - (len - 1).leading_zeros() }
}

/// The segments around the words of a thread.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
pub struct Bounds {
    /// A bit for each word at which a segment begins.
    heads: u32,
    /// Where the segment begins that the word before the thread's is in.
    start: i32,
    /// Where the first segment behind the thread's words begins.
    end: i32,
}

#[gpu_impl]
impl Bounds {
    /// Those where all words of a block are one segment.
    pub const NONE: Self = Self { heads: 0, start: 0, end: ROOM as i32 };

    /// Those of the calling thread, from the heads of all positions. Whole warps call it.
    pub fn of(heads: &[u32]) -> Self {
        let first = first_position();
        let [start, end] = heads_around(heads, first, first + ITEMS as u32);
        Self { heads: heads[first / 32] >> (first % 32) & ALL, start: start as i32, end: end as i32 }
    }

    /// The level that sorts the segments that begin at the thread's words, before position `to`.
    pub fn level(self, to: u32) -> u32 {
        // All but the last of these segments also end at the thread's words, so they are short.
        let last = first_position() + 31 - (self.heads | 1).leading_zeros();
        if self.heads == 0 || last >= to { OWN_LEVEL } else { level_of(self.end as u32 - last) }
    }

    /// Which words may be compared with those of a thread whose first position is `other`: with the same words, or `backwards`.
    fn comparable(self, other: i32, backwards: bool) -> u32 {
        let is_earlier = (first_position() as i32) < other;
        let reach = if is_earlier { self.end - other } else { self.start - other };
        // A bit for each of the other thread's words before that position.
        let before = (1u32 << reach.clamp(0, ITEMS as i32)) - 1;
        let theirs = if is_earlier { before } else { !before };
        // The words from the last head on, or before the first one.
        let own = if is_earlier {
            ALL << (31 - (self.heads | 1).leading_zeros())
        } else {
            (1 << (self.heads | 1 << ITEMS).trailing_zeros()) - 1
        };
        own & if backwards { theirs.reverse_bits() >> (32 - ITEMS) } else { theirs }
    }
}

/// The position of the calling thread's first word.
#[gpu_fn]
fn first_position() -> u32 {
    thread_idx().x % THREADS * ITEMS as u32
}

/// The words of a thread, with the positions that they had.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Held<W> {
    words: [W; ITEMS],
    places: [u32; ITEMS],
}

/// Sorts the words of each segment in [`SLOTS`] of shared memory. With places, it writes to `places` the position that each word had, and
/// keeps equal words in their order.
///
/// Segments have up to `2^level` words, and `level` is at least that of a thread's words. Words at `to` and behind it end up in any order.
/// Every thread of the block calls it once all words are written. It ends with a barrier.
#[gpu_fn]
pub fn sort_words<W: Word>(
    words: &mut [W],
    places: &mut [u16],
    bounds: Bounds,
    level: u32,
    to: u32,
    has_places: bool,
) {
    let t = thread_idx().x % THREADS;
    let heads = twice(bounds.heads);
    // Warps behind the last word have nothing to do.
    let is_needed = t / WARP * WARP * (ITEMS as u32) < to;
    let mut held = Held::<W> { words: [W::LAST; ITEMS], places: [0; ITEMS] };
    #[unroll]
    for k in 0..ITEMS {
        held.words[k] = words[k as u32 * STRIDE + t];
        held.places[k] = first_position() + k as u32;
    }
    if is_needed {
        sort_own::<W>(&mut held, heads, has_places);
    }
    // The last merge is for segments that lie in two groups. At the top level, there is one group.
    let merges = if level < TOP_LEVEL { level + 1 } else { TOP_LEVEL };
    for merged in OWN_LEVEL + 1..merges + 1 {
        // The threads of a merged group.
        let threads = (1 << merged) / ITEMS as u32;
        if merged > level || threads > WARP {
            publish::<W>(&held, words, places, has_places);
            if is_needed && merged > level {
                let group = t & !(threads / 2 - 1);
                let (before, behind) = (2 * group as i32 - 1 - t as i32, 2 * group + threads - 1 - t);
                if before >= 0 {
                    meet::<W>(&mut held, words, places, before as u32, bounds, true, has_places);
                }
                if behind < THREADS {
                    meet::<W>(&mut held, words, places, behind, bounds, true, has_places);
                }
            } else if is_needed {
                meet::<W>(&mut held, words, places, t ^ (threads - 1), bounds, true, has_places);
            }
        } else if is_needed {
            meet_lane::<W>(&mut held, threads - 1, bounds, true, has_places);
        }
        halve::<W>(&mut held, words, places, threads / 4, bounds, is_needed, has_places);
    }
    publish::<W>(&held, words, places, has_places);
}

/// Compares the words of threads that are `apart`, then of those half as far apart, and so on down to a thread's own words. A warp that is
/// not needed only takes part in the barriers.
#[gpu_fn]
fn halve<W: Word>(
    held: &mut Held<W>,
    words: &mut [W],
    places: &mut [u16],
    apart: u32,
    bounds: Bounds,
    is_needed: bool,
    has_places: bool,
) {
    let mut threads = apart;
    while threads >= WARP {
        publish::<W>(held, words, places, has_places);
        if is_needed {
            let other = (thread_idx().x % THREADS) ^ threads;
            meet::<W>(held, words, places, other, bounds, false, has_places);
        }
        threads /= 2;
    }
    if is_needed {
        let mut lanes = apart.min(WARP / 2);
        while lanes > 0 {
            meet_lane::<W>(held, lanes, bounds, false, has_places);
            lanes /= 2;
        }
        #[unroll]
        for log in 0..OWN_LEVEL {
            halve_own::<W>(held, OWN_LEVEL - 1 - log, twice(bounds.heads), has_places);
        }
    }
}

/// Writes a thread's words to shared memory, and its places if there are any. It is a barrier before and after.
#[gpu_fn]
fn publish<W: Word>(held: &Held<W>, words: &mut [W], places: &mut [u16], has_places: bool) {
    let t = thread_idx().x % THREADS;
    sync_threads();
    #[unroll]
    for k in 0..ITEMS {
        words[k as u32 * STRIDE + t] = held.words[k];
        if has_places {
            places[k as u32 * STRIDE + t] = held.places[k] as u16;
        }
    }
    sync_threads();
}

/// Exchanges words with another thread of the block, as they are in shared memory.
#[gpu_fn]
fn meet<W: Word>(
    held: &mut Held<W>,
    words: &[W],
    places: &[u16],
    other: u32,
    bounds: Bounds,
    backwards: bool,
    has_places: bool,
) {
    let mut others = *held;
    #[unroll]
    for k in 0..ITEMS {
        let from = (if backwards { ITEMS - 1 - k } else { k }) as u32 * STRIDE + other;
        assume((from as usize) < SLOTS);
        others.words[k] = words[from];
        if has_places {
            others.places[k] = places[from] as u32;
        }
    }
    exchange::<W>(held, &others, other, bounds, backwards, has_places);
}

/// Exchanges words with another lane of the warp, whose number differs in the bits of `lanes`.
#[gpu_fn]
fn meet_lane<W: Word>(held: &mut Held<W>, lanes: u32, bounds: Bounds, backwards: bool, has_places: bool) {
    let mut others = *held;
    #[unroll]
    for k in 0..ITEMS {
        let from = if backwards { ITEMS - 1 - k } else { k };
        others.words[k] = shfl_xor(held.words[from], lanes);
        if has_places {
            others.places[k] = shfl_xor(held.places[from], lanes);
        }
    }
    exchange::<W>(held, &others, (thread_idx().x % THREADS) ^ lanes, bounds, backwards, has_places);
}

/// Takes those of another thread's words that belong to the calling thread: the lesser ones, if it is the earlier.
#[gpu_fn]
fn exchange<W: Word>(
    held: &mut Held<W>,
    others: &Held<W>,
    other: u32,
    bounds: Bounds,
    backwards: bool,
    has_places: bool,
) {
    let is_earlier = thread_idx().x % THREADS < other;
    let comparable = bounds.comparable((other * ITEMS as u32) as i32, backwards);
    #[unroll]
    for k in 0..ITEMS {
        let (mine, other) = (held.words[k], others.words[k]);
        if comparable >> k & 1 == 1 {
            if !has_places {
                let (lesser, greater) = mine.in_order(other);
                held.words[k] = if is_earlier { lesser } else { greater };
            } else if other.is_before(others.places[k], mine, held.places[k]) == is_earlier {
                held.words[k] = other;
                held.places[k] = others.places[k];
            }
        }
    }
}

/// Sorts a thread's words. `heads` are [`twice`] the heads.
#[gpu_fn]
fn sort_own<W: Word>(held: &mut Held<W>, heads: u32, has_places: bool) {
    #[unroll]
    for level in 0..OWN_LEVEL {
        let half = 1 << level;
        #[unroll]
        for pair in 0..ITEMS / 2 {
            let first = pair / half * 2 * half;
            let k = pair % half;
            let (a, b) = (first + k, first + 2 * half - 1 - k);
            if !is_between(heads, a, b) {
                order::<W>(held, a, b, has_places);
            }
        }
        #[unroll]
        for log in 0..level {
            halve_own::<W>(held, level - 1 - log, heads, has_places);
        }
    }
}

/// Compares a thread's words that are `2^log` apart, in pairs. `heads` are [`twice`] the heads.
#[gpu_fn]
fn halve_own<W: Word>(held: &mut Held<W>, log: u32, heads: u32, has_places: bool) {
    let apart = 1 << log;
    #[unroll]
    for pair in 0..ITEMS / 2 {
        let a = pair / apart * 2 * apart + pair % apart;
        if !is_between(heads, a, a + apart) {
            order::<W>(held, a, a + apart, has_places);
        }
    }
}

/// Whether a word behind number `a` up to number `b` has a bit in [`twice`] of the bits.
#[gpu_fn]
fn is_between(bits: u32, a: usize, b: usize) -> bool {
    let between = (2 << b) - (2 << a);
    bits & (between | between << ITEMS) != 0
}

/// The bits with themselves above: ptxas tests two bits by one instruction, and a single one by three.
#[gpu_fn]
fn twice(bits: u32) -> u32 {
    bits | bits << ITEMS
}

/// Orders two of a thread's words.
#[gpu_fn]
fn order<W: Word>(held: &mut Held<W>, a: usize, b: usize, has_places: bool) {
    let (first, second) = (held.words[a], held.words[b]);
    if !has_places {
        (held.words[a], held.words[b]) = first.in_order(second);
    } else if second.is_before(held.places[b], first, held.places[a]) {
        held.words[a] = second;
        held.words[b] = first;
        let place = held.places[a];
        held.places[a] = held.places[b];
        held.places[b] = place;
    }
}
