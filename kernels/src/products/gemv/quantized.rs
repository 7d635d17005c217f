//! Products of rows of quantised blocks and a vector.

use warpsmith::prelude::*;

use super::blocks::{BLOCK, Pair, Quantized};
use super::rows::{Lines, finished, joined};
use crate::pack::Pack;
use crate::reduction::block::THREADS;

/// Elements of the vector that a block keeps in shared memory at a time: blocks that fill packs of 16 bytes.
pub const CHUNK: usize = 8192;
/// Blocks that run on a multiprocessor at once: as many as have registers for their factors.
pub const RESIDENT: u32 = 4;
/// Pairs of these elements.
const PAIRS: usize = CHUNK / 2;
/// Units of a pack.
const MOST_UNITS: usize = 8;

/// What a thread multiplies by the units of a pack, which are the same for all rows.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Factors {
    /// Elements for each unit; zeros for scales.
    low: [Pair; MOST_UNITS],
    /// The same of the blocks' second halves.
    high: [Pair; MOST_UNITS],
    /// The block of the first unit.
    block: usize,
    /// The first unit of the next block, if the pack has one.
    next: u32,
}

/// `y[r] = alpha * sum of a[r, c] * x[c] + beta * y[r]`, where `at` counts elements of `x`, and from row to row units of two bytes.
///
/// `threads` neighbouring threads take `ROWS` rows, a power of two of up to a block. A block takes rows until there are no more. `units`
/// are all units of the matrix. If it is `WIDE`, `packs` are those in packs of 16 bytes, and rows begin with one.
#[gpu_kernel(launch_bounds(THREADS, RESIDENT), noalias)]
pub fn gemv_quantized_rows<B: Quantized, const ROWS: usize, const WIDE: bool>(
    units: &[u16],
    packs: &[Pack<u32, 4>],
    x: &[f32],
    y: &mut [f32],
    at: Lines<f32>,
    #[comptime] threads: u32,
) {
    let mut staged = shared!([Pair; PAIRS]);
    let t = thread_idx().x % THREADS;
    let rows_of_block = (THREADS / threads) as usize * ROWS;
    let thread = (t % threads) as usize;
    let mut base = block_idx().x as usize * rows_of_block;
    let mut is_first = true;
    while base < at.rows {
        let first = base + (t / threads) as usize * ROWS;
        let mut sums = [0.0f32; ROWS];
        let mut chunk = 0;
        while chunk < at.cols {
            let len = (at.cols - chunk).min(CHUNK);
            if is_first || at.cols > CHUNK {
                sync_threads();
                let mut k = t as usize;
                while k < len / 2 {
                    assume(chunk + 2 * k + 1 < x.len() && k < PAIRS);
                    staged[k] = Pair([x[chunk + 2 * k], x[chunk + 2 * k + 1]]);
                    k += THREADS as usize;
                }
                sync_threads();
                is_first = false;
            }
            let per_pack = if WIDE { 8 } else { 1 };
            let packs_of_chunk = len / BLOCK * B::UNITS / per_pack;
            let before = chunk / BLOCK * B::UNITS;
            let mut p = thread;
            while p < packs_of_chunk {
                let factors = factors::<B, WIDE>(&staged[..], p as u32);
                #[unroll]
                for k in 0..ROWS {
                    let start = (first + k).min(at.rows - 1) * at.stride + before;
                    sums[k] = with_pack::<B, WIDE>(sums[k], units, packs, start, p, factors);
                }
                p += threads as usize;
            }
            chunk += CHUNK;
        }
        sums = joined::<f32, ROWS>(sums, threads);
        if thread == 0 {
            #[unroll]
            for k in 0..ROWS {
                if first + k < at.rows {
                    y[first + k] = finished::<f32>(sums[k], y, first + k, at.alpha, at.beta);
                }
            }
        }
        if threads > 32 {
            // The next rows' sums take the same memory.
            sync_threads();
        }
        base += grid_dim().x as usize * rows_of_block;
    }
}

/// The factors of the units of pack number `p`.
#[gpu_fn]
fn factors<B: Quantized, const WIDE: bool>(staged: &[Pair], p: u32) -> Factors {
    let (units, of_block) = (B::UNITS as u32, BLOCK as u32 / 2);
    let per_pack = if WIDE { 8 } else { 1 };
    let block = p * per_pack / units;
    let position = p * per_pack % units;
    // A pack has units of two blocks at most.
    let next = if position > 0 { units - position } else { MOST_UNITS as u32 };
    let mut low = [Pair([0.0; 2]); MOST_UNITS];
    let mut high = [Pair([0.0; 2]); MOST_UNITS];
    #[unroll]
    for j in 0..per_pack {
        // The scale lies before the numbers of its block.
        let skipped = if j > next { of_block.wrapping_sub(units) } else { 0 };
        if j != next && position + j > 0 {
            let pair = (block * of_block + position + j - 1).wrapping_add(skipped) as usize;
            assume(pair < PAIRS);
            low[j as usize] = staged[pair];
            if B::HALVES {
                assume(pair + BLOCK / 4 < PAIRS);
                high[j as usize] = staged[pair + BLOCK / 4];
            }
        }
    }
    Factors { low, high, block: block as usize, next }
}

/// Adds the products of pack number `p` of the units that begin at `start`.
#[gpu_fn]
fn with_pack<B: Quantized, const WIDE: bool>(
    sum: f32,
    units: &[u16],
    packs: &[Pack<u32, 4>],
    start: usize,
    p: usize,
    factors: Factors,
) -> f32 {
    let mut words = [0u32; 4];
    if WIDE {
        assume(start / 8 + p < packs.len());
        let pack = packs[start / 8 + p];
        words = pack.0;
    } else {
        assume(start + p < units.len());
        words[0] = units[start + p] as u32;
    }
    let at = start + factors.block * B::UNITS;
    assume(at < units.len());
    let scale = f16::from_bits(units[at]).to_f32();
    let mut total = 0.0f32;
    let mut before = 0.0f32;
    #[unroll]
    for j in 0..if WIDE { 8 } else { 1 } {
        if j as u32 == factors.next {
            before = total;
            total = 0.0;
        }
        total = B::products(total, words[j / 2], (j % 2 * 2) as u32, factors.low[j], factors.high[j]);
    }
    if WIDE && factors.next < MOST_UNITS as u32 {
        assume(at + B::UNITS < units.len());
        let next = f16::from_bits(units[at + B::UNITS]).to_f32();
        sum + (scale * before + next * total)
    } else {
        sum + scale * total
    }
}
