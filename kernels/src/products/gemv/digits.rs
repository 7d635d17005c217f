//! Products of rows of quantised blocks and a vector on tensor cores: compute capability 9.0.
//!
//! They multiply the numbers of a block by the digits of the vector's elements, without rounding. Each warp has its own ring of steps in
//! shared memory, and waits for no other one before the end.

use warpsmith::prelude::*;
use warpsmith::ptx::{fence_mbarrier_init, fence_proxy_async, mma_m16n8k32_s32_s8_s8};
use warpsmith::tile::Unswizzled;

use super::blocks::{BLOCK, Pair, Quantized};
use super::rows::{Lines, finished};
use super::vector_digits::{BLOCKS, DIGITS, STEP, store_digits};
use crate::reduction::block::THREADS;

/// Warps of a block, which take turns with the steps of its rows.
pub const WARPS: usize = THREADS as usize / 32;
/// Blocks that run on a multiprocessor at once.
const RESIDENT: u32 = 2;
/// Steps that a warp has in shared memory.
const STAGES: usize = 2;

/// Bytes of shared memory of a block, for its rows and the words of a row in a step.
pub const fn shared(rows: usize, words: usize) -> usize {
    WARPS * (STAGES * (rows * words + STEP + 2) + BLOCKS * DIGITS + rows) * 4 + 4
}

/// `y[r] = alpha * sum of a[r, c] * x[c] + beta * y[r]`, where `at` counts elements of `x`, and from row to row units of two bytes.
///
/// `units` are all units of the matrix, and `words` its rows in boxes of a step, which has `WORDS` words of a row; rows are a multiple of
/// `STEP` long, and `x` begins at a multiple of 16 bytes. A block takes `ROWS` rows, which are `TILES` times 16. `splits` neighbouring blocks
/// share rows: each stores its sums in `partials`, and the last to arrive adds them up. `arrived` has a counter for each of these groups of
/// rows, which is zero before and after.
#[gpu_kernel(launch_bounds(THREADS, RESIDENT), noalias)]
pub fn gemv_quantized_digits<B: Quantized, const ROWS: usize, const TILES: usize, const WORDS: usize>(
    units: &[u16],
    words: &TensorMap<u32, ROWS, WORDS, Unswizzled>,
    x: &[f32],
    y: &mut [f32],
    at: Lines<f32>,
    splits: u32,
    partials: &mut [f32],
    arrived: &mut [u32],
) {
    let mut ring = shared!([u32; WARPS * STAGES * ROWS * WORDS], align = 128);
    let mut elements = shared!([f32; WARPS * STAGES * STEP], align = 16);
    let mut digits = shared!([u32; WARPS * BLOCKS * DIGITS], align = 8);
    let mut of_warps = shared!([f32; WARPS * ROWS]);
    let full = shared!([Barrier; WARPS * STAGES]);
    let mut is_last = shared!([u32; 1]);
    let t = (thread_idx().x % THREADS) as usize;
    let (warp, lane) = (t / 32, t % 32);
    let (group, quarter) = (lane / 4, lane % 4);
    let (tile, split) = ((block_idx().x / splits) as usize, (block_idx().x % splits) as usize);
    let steps = at.cols / STEP;
    let (from, to) = (steps * split / splits as usize, steps * (split + 1) / splits as usize);
    let first = tile * ROWS;
    let stages = warp * STAGES;
    if lane == 0 {
        #[unroll]
        for s in 0..STAGES {
            full[stages + s].init(1);
        }
        fence_mbarrier_init();
    }
    sync_warp();
    grid_dependency_wait();
    launch_dependents();
    let mut step = from + warp;
    if lane == 0 && step < to {
        copy_step(&mut ring[..], &mut elements[..], &full[stages], stages, words, x, [first, step]);
    }
    let mut phase = Phase::first();
    let mut sums = [[0.0f32; 2]; TILES];
    let mut slow = [[0.0f32; 2]; TILES];
    let mut current = 0usize;
    while step < to {
        // All lanes have read what the next copies replace.
        fence_proxy_async();
        sync_warp();
        if lane == 0 && step + WARPS < to {
            let next = stages + 1 - current;
            copy_step(&mut ring[..], &mut elements[..], &full[next], next, words, x, [first, step + WARPS]);
        }
        let stage = stages + current;
        full[stage].wait_for(phase);
        let own_digits = warp * BLOCKS * DIGITS;
        let factor = store_digits::<B>(&mut digits[..], own_digits, &elements[..], stage * STEP);
        sync_warp();
        if factor == 0.0 {
            #[unroll]
            for tile in 0..TILES {
                slow[tile] = with_step::<B>(slow[tile], units, x, at, first + tile * 16, step);
            }
        } else {
            let mut of_step = [[0.0f32; 2]; TILES];
            let mut right = [[0u32; 2]; BLOCKS];
            #[unroll]
            for b in 0..BLOCKS {
                let word = own_digits + b * DIGITS + lane * 2;
                assume(word + 1 < digits.len());
                right[b] = [digits[word], digits[word + 1]];
            }
            #[unroll]
            for pair in 0..BLOCKS / 2 {
                #[unroll]
                for tile in 0..TILES {
                    let row = (stage * ROWS + tile * 16 + group) * WORDS + pair * (WORDS / 4);
                    let above = B::two_blocks(&ring[..], row, quarter);
                    let below = B::two_blocks(&ring[..], row + 8 * WORDS, quarter);
                    #[unroll]
                    for i in 0..2usize {
                        let (a, b) = (above.numbers[i], below.numbers[i]);
                        let column = right[2 * pair + i];
                        let c = mma_m16n8k32_s32_s8_s8([a[0], b[0], a[1], b[1]], column, [0; 4]);
                        let (c_above, c_below) = ((c[0] + c[1] * 256) as f32, (c[2] + c[3] * 256) as f32);
                        of_step[tile][0] = c_above.mul_add(above.scales[i], of_step[tile][0]);
                        of_step[tile][1] = c_below.mul_add(below.scales[i], of_step[tile][1]);
                    }
                }
            }
            #[unroll]
            for tile in 0..TILES {
                sums[tile][0] = of_step[tile][0].mul_add(factor, sums[tile][0]);
                sums[tile][1] = of_step[tile][1].mul_add(factor, sums[tile][1]);
            }
        }
        if current == 1 {
            phase = phase.next();
        }
        current = 1 - current;
        step += WARPS;
    }
    // Lanes of a group have two digits each, of which the first ones are the least; the first four are 2^30 times less.
    let exponent = 127 + 16 * (quarter as u32 % 2) - if quarter < 2 { 30 } else { 0 };
    let weight = B::UNIT * f32::from_bits(exponent << 23);
    #[unroll]
    for tile in 0..TILES {
        #[unroll]
        for i in 0..2usize {
            let mut sum = sums[tile][i] * weight + slow[tile][i];
            sum += shfl_xor(sum, 1);
            sum += shfl_xor(sum, 2);
            if quarter == 0 {
                of_warps[warp * ROWS + tile * 16 + i * 8 + group] = sum;
            }
        }
    }
    sync_threads();
    let row = first + t;
    let is_mine = t < ROWS && row < at.rows;
    let mut sum = 0.0f32;
    if is_mine {
        #[unroll]
        for w in 0..WARPS {
            sum += of_warps[w * ROWS + t];
        }
    }
    if splits > 1 {
        if is_mine {
            partials[split * at.rows + row] = sum;
        }
        sync_threads();
        if t == 0 {
            let before = atomic(&mut arrived[tile]).fetch_inc(splits - 1, Ordering::AcqRel);
            is_last[0] = (before == splits - 1) as u32;
        }
        sync_threads();
        if uniform(is_last[0]) == 0 {
            return;
        }
        if is_mine {
            sum = 0.0;
            for s in 0..splits as usize {
                sum += partials[s * at.rows + row];
            }
        }
    }
    if is_mine {
        y[row] = finished::<f32>(sum, y, row, at.alpha, at.beta);
    }
}

/// Starts the copies of a step of a warp to a stage: of the rows from the first on, and of the elements. `full` counts their bytes.
#[gpu_fn]
fn copy_step<const ROWS: usize, const WORDS: usize>(
    ring: &mut [u32],
    elements: &mut [f32],
    full: &Barrier,
    stage: usize,
    words: &TensorMap<u32, ROWS, WORDS, Unswizzled>,
    x: &[f32],
    [first, step]: [usize; 2],
) {
    let rows = &mut ring[stage * ROWS * WORDS..][..ROWS * WORDS];
    full.load_tile(
        Tile::<u32, ROWS, WORDS, Unswizzled>::new(rows),
        words,
        [first as i32, (step * WORDS) as i32],
    );
    full.load(&mut elements[stage * STEP..][..STEP], &x[step * STEP..][..STEP]);
    full.arrive();
}

/// Adds the products of a step of 16 rows one by one, for elements of any size.
#[gpu_fn]
fn with_step<B: Quantized>(
    sums: [f32; 2],
    units: &[u16],
    x: &[f32],
    at: Lines<f32>,
    first: usize,
    step: usize,
) -> [f32; 2] {
    let lane = thread_idx().x as usize % 32;
    let mut sums = sums;
    for r in 0..16usize {
        let start = (first + r).min(at.rows - 1) * at.stride + step * BLOCKS * B::UNITS;
        let mut sum = 0.0f32;
        for unit in (lane..BLOCKS * B::UNITS).step_by(32) {
            let (block, position) = (unit / B::UNITS, unit % B::UNITS);
            // The scale lies before the numbers of its block.
            if position > 0 {
                let k = step * STEP + block * BLOCK + 2 * (position - 1);
                let low = Pair([x[k], x[k + 1]]);
                let high = if B::HALVES { Pair([x[k + BLOCK / 2], x[k + BLOCK / 2 + 1]]) } else { low };
                let scale = f16::from_bits(units[start + block * B::UNITS]).to_f32();
                sum += scale * B::products(0.0, units[start + unit] as u32, 0, low, high);
            }
        }
        sum += shfl_xor(sum, 16);
        sum += shfl_xor(sum, 8);
        sum += shfl_xor(sum, 4);
        sum += shfl_xor(sum, 2);
        sum += shfl_xor(sum, 1);
        if lane == r % 8 * 4 {
            sums[r / 8] += sum;
        }
    }
    sums
}
