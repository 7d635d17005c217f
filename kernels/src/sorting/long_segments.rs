//! Segments by the places where they begin, and the tiles of those that are too long for one block.
//!
//! Positions are cut into ranges. A block finds the segments that begin in a range by a search in the offsets, so neither the number of
//! segments nor their lengths change how much work a block has.

use warpsmith::prelude::*;

use super::network::THREADS;
use crate::segments::span;

/// Keys that a block sorts at once, and of a tile of a long segment.
pub const ROOM: usize = 2048;
/// The length of the longest segment that is not long.
pub const SHORT: usize = 256;
/// Positions of a range: the segments that begin there and are not long end less than [`ROOM`] positions behind its beginning.
pub const RANGE: usize = ROOM - SHORT;
/// Long segments that a range can have: those that begin there, and one from before.
pub const MOST_LONG: usize = RANGE / SHORT + 2;

/// The segments that begin in a range: `first..end`.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
pub struct Begun {
    /// The first one.
    pub first: u32,
    /// The one behind the last.
    pub end: u32,
}

/// A tile of a long segment.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
pub struct Tile {
    /// Where the segment begins.
    pub from: usize,
    /// The segment's length.
    pub of: usize,
    /// Where the tile begins in the segment.
    pub at: usize,
    /// Keys of the tile; zero if the range has no tile of the segment.
    pub len: usize,
}

#[gpu_impl]
impl Tile {
    /// How often tiles are merged until the segment is sorted.
    pub fn passes(self) -> u32 {
        passes(self.of)
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
    let lane = thread_idx().x % 32;
    // The number is at least `least` and at most `most`.
    let (mut least, mut most) = (0u32, offsets.len() as u32);
    while least < most {
        let step = (most - least).div_ceil(32);
        let at = least + lane * step;
        let below = ballot(at < most && (offsets[at.min(most - 1)] as usize) < position).count_ones();
        if below == 0 {
            most = least;
        } else {
            most = most.min(least + below * step);
            least += (below - 1) * step + 1;
        }
    }
    least
}

/// The segments that begin in the range from position `base` on.
#[gpu_fn]
pub fn begun(offsets: &[u32], base: usize) -> Begun {
    let last = offsets.len() as u32 - 1;
    Begun {
        first: offsets_below(offsets, base).min(last),
        end: offsets_below(offsets, base + RANGE).min(last),
    }
}

/// Lists the long segments with positions in a range, in any order, and returns how many there are. `list` has room for [`MOST_LONG`]
/// and then their number. Every thread calls it; it is a barrier.
#[gpu_fn]
pub fn list_long(offsets: &[u32], rows: usize, begun: Begun, list: &mut [u32]) -> u32 {
    let t = thread_idx().x % THREADS;
    if t == 0 {
        list[MOST_LONG] = 0;
    }
    sync_threads();
    // The segment before may reach into the range.
    for s in (begun.first.saturating_sub(1) + t..begun.end).step_by(THREADS as usize) {
        if span(offsets, s, rows as u32)[1] as usize > SHORT {
            let place = atomic_add(&mut list[MOST_LONG], 1) as usize;
            if place < MOST_LONG {
                list[place] = s;
            }
        }
    }
    sync_threads();
    uniform(list[MOST_LONG].min(MOST_LONG as u32))
}

/// The tile of a long segment that begins in the range from position `base` on. There is at most one.
#[gpu_fn]
pub fn tile_in(offsets: &[u32], rows: usize, s: u32, base: usize) -> Tile {
    let [from, of] = span(offsets, s, rows as u32);
    let (from, of) = (from as usize, of as usize);
    let at = base.saturating_sub(from).div_ceil(ROOM) * ROOM;
    let is_here = at < of && from + at < base + RANGE;
    Tile { from, of, at, len: if is_here { ROOM.min(of - at) } else { 0 } }
}

/// Ends threads that find offsets which decrease, or go beyond all `rows`.
#[gpu_fn]
pub fn check_offsets(offsets: &[u32], rows: usize) {
    for s in (global_id()..offsets.len() - 1).step_by(global_size()) {
        assert!(offsets[s] <= offsets[s + 1], "an offset is below the one before");
        assert!(offsets[s + 1] as usize <= rows, "an offset is beyond the keys");
    }
}
