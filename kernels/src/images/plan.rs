//! Chunks: how many rows or planes a block takes one after the other.

use warpsmith::driver::Limits;

/// The least and the greatest length of a chunk.
const CHUNKS: [usize; 2] = [16, 256];
/// Steps that the start of a block takes as long as.
const START: usize = 4;

/// The length of chunks of `len` rows or planes, of which `others` blocks beside each other take a chunk each: the one that takes the
/// fewest steps. Each chunk also loads `halo` rows or planes of its neighbours, and `resident` blocks share a multiprocessor.
pub fn chunk(limits: &Limits, len: usize, others: usize, halo: usize, resident: usize) -> usize {
    let slots = limits.multiprocessors.max(1) as usize * resident;
    let steps = |chunk: &usize| {
        let waves = others.saturating_mul(len.div_ceil(*chunk)).div_ceil(slots);
        waves.saturating_mul(chunk + halo + START)
    };
    let [least, most] = CHUNKS;
    (least..=most).rev().map(|chunk| len.div_ceil(len.div_ceil(chunk))).min_by_key(steps).unwrap_or(most)
}
