//! Positions cut into ranges, the heads of segments, and the tiles of those that are too long for one block.
//!
//! A block takes what begins in neighbouring ranges and walks along the offsets, so neither the number of segments nor their lengths change
//! how much work a block has.

use warpsmith::prelude::*;

use super::warp_search::first_without;
use crate::segments::span;

/// Threads of a block that sorts.
pub const THREADS: u32 = 128;
/// Keys that a block sorts at once: the length of the longest segment that is sorted without tiles, and of a tile of a longer one.
pub const ROOM: usize = 2048;
/// Positions of a range, in which at most one long segment begins.
pub const RANGE: usize = ROOM / 2;
/// Words with a bit for each position of a block's room.
pub const HEADS: usize = ROOM / 32;

/// A tile of a long segment.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
pub struct Tile {
    /// Where the segment begins.
    pub from: u32,
    /// The segment's length.
    pub of: u32,
    /// Where the tile begins in the segment.
    pub at: u32,
    /// Keys of the tile; zero if the range has no tile of the segment.
    pub len: u32,
}

#[gpu_impl]
impl Tile {
    /// No tile.
    pub const NONE: Self = Self { from: 0, of: 0, at: 0, len: 0 };

    /// How often tiles are merged until the segment is sorted.
    pub fn passes(self) -> u32 {
        passes(self.of as usize)
    }
}

/// How often sorted tiles of a segment are merged.
#[gpu_fn]
pub fn passes(len: usize) -> u32 {
    let tiles = len.div_ceil(ROOM);
    if tiles <= 1 { 0 } else { usize::BITS - (tiles - 1).leading_zeros() }
}

/// The number of offsets below a position, found by all lanes of a warp.
#[gpu_fn]
pub fn offsets_below(offsets: &[u32], position: usize) -> u32 {
    first_without(0, offsets.len() as u32, |at| (offsets[at] as usize) < position)
}

/// The same, where `first` offsets are below an earlier position: a look at the next few is mostly enough.
#[gpu_fn]
pub fn offsets_below_next(offsets: &[u32], first: u32, position: usize) -> u32 {
    let at = first as usize + thread_idx().x as usize % 32;
    let below = ballot(at < offsets.len() && (offsets[at.min(offsets.len() - 1)] as usize) < position);
    if below == u32::MAX { offsets_below(offsets, position) } else { first + below.count_ones() }
}

/// Marks the heads of the segments that fit into a block's room, from segment `first` on, and returns the number of the first segment that
/// does not fit or begins at `end` or behind it. Positions count from where segment `first` begins, and `heads` has a bit for each. Every
/// thread calls it; it is a barrier.
#[gpu_fn]
pub fn mark_heads(offsets: &[u32], first: u32, end: usize, heads: &mut [u32]) -> u32 {
    let mut last = shared!([u32; 1]);
    let t = thread_idx().x % THREADS;
    if (t as usize) < HEADS {
        heads[t] = if t == 0 { 1 } else { 0 };
    }
    if t == 0 {
        last[0] = first;
    }
    sync_threads();
    let base = offsets[first];
    let fits = |s: usize| offsets[s].wrapping_sub(base) <= ROOM as u32 && (offsets[s - 1] as usize) < end;
    let mut s = (first + 1 + t) as usize;
    while s < offsets.len() && fits(s) {
        let at = (offsets[s] - base) as usize;
        if at < ROOM {
            atomic_or(&mut heads[at / 32], 1 << (at % 32));
        }
        if s + 1 == offsets.len() || !fits(s + 1) {
            last[0] = s as u32;
        }
        s += THREADS as usize;
    }
    sync_threads();
    uniform(last[0])
}

/// The words of the heads that have any, a bit for each. Whole warps call it.
#[gpu_fn]
fn summary(heads: &[u32]) -> u64 {
    let lane = thread_idx().x % 32;
    let mut words = 0u64;
    #[unroll]
    for k in 0..HEADS as u32 / 32 {
        words |= (ballot(heads[k * 32 + lane] != 0) as u64) << (k * 32);
    }
    words
}

/// The last head before position `from`, or 0, and the first head from position `to` on, or the end of the room. Both positions are of one
/// word of heads, except that `to` may be the end of it. Whole warps call it.
#[gpu_fn]
pub fn heads_around(heads: &[u32], from: u32, to: u32) -> [u32; 2] {
    let word = from / 32;
    let summary = summary(heads);
    let before = heads[word] & ((1 << (from % 32)) - 1);
    let behind = heads[word] & !(u32::MAX >> (31 - (to - 1) % 32));
    let (earlier, later) = (summary & ((1 << word) - 1), summary >> word >> 1);
    let mut around = [0, ROOM as u32];
    if before != 0 {
        around[0] = word * 32 + 31 - before.leading_zeros();
    } else if earlier != 0 {
        let word = 63 - earlier.leading_zeros();
        around[0] = word * 32 + 31 - heads[word].leading_zeros();
    }
    if behind != 0 {
        around[1] = word * 32 + behind.trailing_zeros();
    } else if later != 0 {
        let word = word + 1 + later.trailing_zeros();
        around[1] = word * 32 + heads[word].trailing_zeros();
    }
    around
}

/// The tile of segment `s` that begins in the range from position `base` on, if the segment is long: there is at most one.
#[gpu_fn]
fn tile_in(offsets: &[u32], rows: usize, s: u32, base: usize) -> Tile {
    let [from, of] = span(offsets, s, rows as u32);
    // Behind the last position there may be none of 32 bits.
    let at = base.saturating_sub(from as usize).div_ceil(ROOM) * ROOM;
    let is_here = of > ROOM as u32 && at < of as usize && from as usize + at < base + RANGE;
    let at = at as u32;
    Tile { from, of, at, len: if is_here { (of - at).min(ROOM as u32) } else { 0 } }
}

/// Finds the tiles that begin in the range from position `base` on, where `first` and `next` offsets are below its beginning and its end:
/// of the last segment that begins before the range, and of the last one that begins in it. Others are not long.
#[gpu_fn]
pub fn find_tiles(offsets: &[u32], rows: usize, base: usize, first: u32, next: u32, tiles: &mut [Tile]) {
    let t = thread_idx().x;
    if t < 2 {
        let below = if t == 0 { first } else { next };
        let is_one = below > if t == 0 { 0 } else { first } && (below as usize) < offsets.len();
        tiles[t] = if is_one { tile_in(offsets, rows, below - 1, base) } else { Tile::NONE };
    }
}

/// Ends threads that find offsets which decrease, or go beyond all `rows`.
#[gpu_fn]
pub fn check_offsets(offsets: &[u32], rows: usize) {
    for s in (global_id()..offsets.len() - 1).step_by(global_size()) {
        assert!(offsets[s] <= offsets[s + 1], "an offset is below the one before");
        assert!(offsets[s + 1] as usize <= rows, "an offset is beyond the keys");
    }
}
