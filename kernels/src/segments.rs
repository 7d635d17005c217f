//! Consecutive rows in segments of any lengths, which offsets on the device delimit, and the tiles of each segment.
//!
//! Segment `s` has the rows from `offsets[s]` up to `offsets[s + 1]`. Kernels that know only a bound of the number of tiles give each
//! tile a number, and find its segment by themselves; some numbers have no tile.

use warpsmith::prelude::*;

/// The rows before segment `s`, and the number of its own. Wrong offsets lead to none beyond `rows`.
#[gpu_fn]
pub fn span(offsets: &[u32], s: u32, rows: u32) -> [u32; 2] {
    let to = offsets[s as usize + 1].min(rows);
    let from = offsets[s as usize].min(to);
    [from, to - from]
}

/// The number of a segment's first tile of `rows` rows. Each segment has as many numbers as tiles, or one more.
#[gpu_fn]
pub fn first_tile(offsets: &[u32], s: u32, rows: u32) -> u32 {
    offsets[s as usize] / rows + s
}

/// The last segment whose first tile has this number, or a lower one.
#[gpu_fn]
pub fn segment_of(offsets: &[u32], number: u32, rows: u32) -> u32 {
    let (mut least, mut most) = (0u32, offsets.len() as u32 - 2);
    while least < most {
        let middle = (least + most).div_ceil(2);
        if first_tile(offsets, middle, rows) <= number {
            least = middle;
        } else {
            most = middle - 1;
        }
    }
    least
}

/// Ends threads that find offsets which decrease, or go beyond all `rows`. The threads of a warpgroup but the first call it, for which no
/// other thread waits.
#[gpu_fn]
pub fn check(offsets: &[u32], rows: u32) {
    let thread = thread_idx().x % 128;
    if thread > 0 {
        let first = (block_idx().x * 127 + thread - 1) as usize;
        for s in (first..offsets.len() - 1).step_by(grid_dim().x as usize * 127) {
            assert!(offsets[s] <= offsets[s + 1], "an offset is below the one before");
            assert!(offsets[s + 1] <= rows, "an offset is beyond the rows");
        }
    }
}

/// Numbers that the tiles of `rows` rows have, if segments have `all` rows together.
pub(crate) fn numbers(segments: usize, all: usize, rows: usize) -> usize {
    segments.saturating_add(all / rows)
}
