//! Products of rows of quantised blocks and a vector on tensor cores: compute capability 9.0.
//!
//! Each element of the vector is an integer of 62 bits times a power of two, which is the same for the 32 elements that a block is multiplied
//! by. The tensor cores multiply the numbers of a block by the eight digits of these integers, to the base 256, without rounding.

use warpsmith::prelude::*;
use warpsmith::ptx::mma_m16n8k32_s32_s8_s8;

use super::blocks::{BLOCK, Pair, Quantized};
use super::rows::{Lines, finished};
use crate::pack::Pack;
use crate::reduction::block::THREADS;

/// Rows of a block: 16 by each warp.
pub const ROWS: usize = 16 * WARPS;
/// Numbers of a row that a warp takes in a step: blocks that fill packs of 16 bytes.
pub const STEP: usize = 256;
/// Blocks that run on a multiprocessor at once.
pub const RESIDENT: u32 = 2;
/// Warps of a block.
const WARPS: usize = THREADS as usize / 32;
/// Steps whose elements of the vector are digits at the same time.
const STEPS: usize = 8;
/// The exponents of a block's largest element for which the factors are floats without loss, as in the float.
const LEAST: u32 = 40;
const MOST: u32 = 200;

/// Steps that a warp has in shared memory, for a number of packs of a row in a step.
pub const fn stages(packs: usize) -> usize {
    if packs > 9 { 2 } else { 4 }
}

/// Bytes of shared memory of a block, for a number of packs of a row in a step.
pub const fn shared(packs: usize) -> usize {
    WARPS * stages(packs) * 16 * packs * 16 + STEPS * (STEP * 8 + STEP / BLOCK * 4) + 4
}

/// `y[r] = alpha * sum of a[r, c] * x[c] + beta * y[r]`, where `at` counts elements of `x`, and from row to row units of two bytes.
///
/// `units` are all units of the matrix, and `packs` the same in packs of 16 bytes; rows begin with one, and are a multiple of `STEP` long.
/// `PACKS` packs are a step of a row; a warp has `STAGES` steps in shared memory. `splits` neighbouring blocks share `ROWS` rows: each
/// stores its sums in `partials`, and the last to arrive adds them up. `arrived` has a counter for each of these groups of rows, which is
/// zero before and after.
#[gpu_kernel(launch_bounds(THREADS, RESIDENT), noalias)]
pub fn gemv_quantized_digits<B: Quantized, const PACKS: usize, const STAGES: usize, const BEHIND: u32>(
    units: &[u16],
    packs: &[Pack<u32, 4>],
    x: &[f32],
    y: &mut [f32],
    at: Lines<f32>,
    splits: u32,
    partials: &mut [f32],
    arrived: &mut [u32],
) {
    let mut ring = shared!([u32; WARPS * STAGES * 16 * PACKS * 4], align = 16);
    let mut digits = shared!([U32x2; STEPS * STEP]);
    let mut factors = shared!([f32; STEPS * STEP / BLOCK]);
    let mut is_last = shared!([u32; 1]);
    grid_dependency_wait();
    launch_dependents();
    let t = thread_idx().x;
    let (warp, lane) = ((t / 32) as usize, (t % 32) as usize);
    let (group, quarter) = (lane / 4, lane % 4);
    let (tile, split) = ((block_idx().x / splits) as usize, (block_idx().x % splits) as usize);
    let steps = at.cols / STEP;
    let (from, to) = (steps * split / splits as usize, steps * (split + 1) / splits as usize);
    let first = tile * ROWS + warp * 16;
    let stages = warp * STAGES * 16 * PACKS * 4;
    #[unroll]
    for s in 0..STAGES - 1 {
        copy_step::<PACKS>(&mut ring[..], stages + s * 16 * PACKS * 4, packs, at, first, from + s, to);
    }
    let mut sums = [0.0f32; 2];
    let mut slow = [0.0f32; 2];
    let mut is_slow = false;
    let (mut full, mut empty) = (0usize, STAGES - 1);
    for step in from..to {
        let place = (step - from) % STEPS;
        if place == 0 {
            sync_threads();
            let blocks = (to - step).min(STEPS) * (STEP / BLOCK);
            is_slow = sync_threads_or(stage(&mut digits[..], &mut factors[..], x, step * STEP, blocks));
        }
        copy_async_wait::<BEHIND>();
        sync_warp();
        let to_fill = stages + empty * 16 * PACKS * 4;
        copy_step::<PACKS>(&mut ring[..], to_fill, packs, at, first, step + STAGES - 1, to);
        empty = if empty + 1 == STAGES { 0 } else { empty + 1 };
        if is_slow {
            slow = with_step::<B>(slow, units, x, at, first, step);
        } else {
            let mine = stages + full * 16 * PACKS * 4 + group * PACKS * 4;
            #[unroll]
            for pair in 0..STEP / BLOCK / 2 {
                let above = B::two_blocks(&ring[..], mine + pair * PACKS, quarter);
                let below = B::two_blocks(&ring[..], mine + 8 * PACKS * 4 + pair * PACKS, quarter);
                #[unroll]
                for i in 0..2usize {
                    let block = place * (STEP / BLOCK) + 2 * pair + i;
                    let right = digits[block * BLOCK + lane];
                    let left =
                        [above.numbers[i][0], below.numbers[i][0], above.numbers[i][1], below.numbers[i][1]];
                    let c = mma_m16n8k32_s32_s8_s8(left, [right.x, right.y], [0; 4]);
                    let factor = factors[block];
                    sums[0] = ((c[0] + c[1] * 256) as f32).mul_add(above.scales[i] * factor, sums[0]);
                    sums[1] = ((c[2] + c[3] * 256) as f32).mul_add(below.scales[i] * factor, sums[1]);
                }
            }
        }
        full = if full + 1 == STAGES { 0 } else { full + 1 };
    }
    // Lanes of a group have two digits each, of which the first ones are the least.
    let weight = B::UNIT * f32::from_bits((127 - 48 + 16 * quarter as u32) << 23);
    #[unroll]
    for i in 0..2usize {
        sums[i] = sums[i] * weight + slow[i];
        sums[i] += shfl_xor(sums[i], 1);
        sums[i] += shfl_xor(sums[i], 2);
    }
    let row = first + group;
    if splits > 1 {
        if quarter == 0 {
            #[unroll]
            for i in 0..2usize {
                if row + 8 * i < at.rows {
                    partials[split * at.rows + row + 8 * i] = sums[i];
                }
            }
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
        #[unroll]
        for i in 0..2usize {
            sums[i] = 0.0;
            if quarter == 0 && row + 8 * i < at.rows {
                for s in 0..splits as usize {
                    sums[i] += partials[s * at.rows + row + 8 * i];
                }
            }
        }
    }
    if quarter == 0 {
        #[unroll]
        for i in 0..2usize {
            if row + 8 * i < at.rows {
                y[row + 8 * i] = finished::<f32>(sums[i], y, row + 8 * i, at.alpha, at.beta);
            }
        }
    }
}

/// Starts the warp's copies of a step of its 16 rows to a stage, as a group of copies; an empty one if the step is not below `to`.
#[gpu_fn]
fn copy_step<const PACKS: usize>(
    ring: &mut [u32],
    stage: usize,
    packs: &[Pack<u32, 4>],
    at: Lines<f32>,
    first: usize,
    step: usize,
    to: usize,
) {
    if step < to {
        let lane = thread_idx().x as usize % 32;
        #[unroll]
        for i in 0..(16 * PACKS).div_ceil(32) {
            let pack = i * 32 + lane;
            if i < 16 * PACKS / 32 || pack < 16 * PACKS {
                // Rows behind the last are its copies, which nobody writes.
                let row = (first + pack / PACKS).min(at.rows - 1);
                let place = row * (at.stride / 8) + step * PACKS + pack % PACKS;
                assume(place < packs.len() && stage + pack * 4 < ring.len());
                let from = packs.as_ptr().wrapping_add(place) as *const U32x4;
                let to = ring.as_mut_ptr().wrapping_add(stage + pack * 4) as *mut U32x4;
                unsafe { copy_async(&mut *to, &*from) }
            }
        }
    }
    copy_async_commit();
}

/// Stores the digits of the elements of `x` from `from` on, those of `blocks` blocks, and the factor of each block. Returns whether an
/// element that the calling thread has is too large for that, or no number.
///
/// The eight digits of an element are bytes of eight words; a word has those of four elements, as an operand of tensor cores has them.
#[gpu_fn]
fn stage(digits: &mut [U32x2], factors: &mut [f32], x: &[f32], from: usize, blocks: usize) -> bool {
    let (warp, lane) = ((thread_idx().x / 32) as usize, (thread_idx().x % 32) as usize);
    let bytes = digits.as_mut_ptr() as *mut u8;
    let mut is_large = false;
    for block in (warp..blocks).step_by(WARPS) {
        assume(from + block * BLOCK + lane < x.len() && block < factors.len());
        let bits = x[from + block * BLOCK + lane].to_bits();
        let exponent = bits >> 23 & 0xff;
        let top = reduce_max_sync(u32::MAX, exponent).max(LEAST);
        is_large = is_large || top >= MOST;
        let hidden = if exponent > 0 { 1u32 << 23 } else { 0 };
        let size = (bits & 0x7f_ffff | hidden) as u64;
        // 24 bits begin below bit 62; bits below the first are left out.
        let behind = top.min(MOST) - exponent.clamp(1, MOST);
        let size = if behind <= 38 { size << (38 - behind) } else { size >> (behind - 38).min(63) };
        let number = if bits >> 31 == 1 { size.wrapping_neg() } else { size };
        // Digits of -128..128: from the lowest to the highest but one, each is a byte less 128.
        let number = number.wrapping_add(0x0080_8080_8080_8080) ^ 0x0080_8080_8080_8080;
        let place = block * BLOCK * 8 + lane % 16 / 4 * 8 + lane / 16 * 4 + lane % 4;
        #[unroll]
        for digit in 0..8usize {
            unsafe { *bytes.wrapping_add(place + digit * 32) = (number >> (8 * digit)) as u8 }
        }
        if lane == 0 {
            factors[block] = f32::from_bits((top.min(MOST) - 13) << 23);
        }
    }
    is_large
}

/// Adds the products of a step of the warp's rows one by one, for elements of any size.
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
        let start = (first + r).min(at.rows - 1) * at.stride + step * (STEP / BLOCK) * B::UNITS;
        let mut sum = 0.0f32;
        for unit in (lane..STEP / BLOCK * B::UNITS).step_by(32) {
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
