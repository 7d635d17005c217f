//! The digits of a vector, as operands of tensor cores.
//!
//! Each element is an integer of 62 bits times a power of two, which is the same for the 256 elements of a step. Its eight digits to the
//! base 256 are the columns of a matrix of `i8`.

use warpsmith::prelude::*;

use super::blocks::{BLOCK, Pair, Quantized};

/// Elements of a step: blocks that fill packs of 16 bytes.
pub const STEP: usize = 256;
/// Blocks of a step.
pub const BLOCKS: usize = STEP / BLOCK;
/// Words from the digits of one block to those of the next. Lanes that store four blocks at once use all banks of the memory.
pub const DIGITS: usize = 72;
/// The exponents of a step's largest element for which all factors are floats without loss, as in the float.
const LEAST: u32 = 30;
const MOST: u32 = 200;

/// Stores the digits of a step of a warp, and returns the factor of its numbers. The factor is zero if an element is too large for digits,
/// or not a number.
///
/// The elements begin at `at`, an even number; the digits at word `to`. Of block `b`, word `DIGITS * b + 8 * d + 2 * q + o` has digit `d` of
/// those four elements that are multiplied by operand `o` of lane `q` in [`Quantized::two_blocks`]. The first digits are the lowest.
#[gpu_fn]
pub fn store_digits<B: Quantized>(digits: &mut [u32], to: usize, elements: &[f32], at: usize) -> f32 {
    let lane = thread_idx().x as usize % 32;
    // Four elements each of two blocks.
    let mut numbers = [[0.0f32; 4]; 2];
    let mut largest = 0u32;
    #[unroll]
    for half in 0..2usize {
        let block = half * 4 + lane / 8;
        #[unroll]
        for pair in 0..2usize {
            let number = B::number(block, lane % 8 * 4 + 2 * pair);
            let two =
                unsafe { *(elements.as_ptr().wrapping_add(at + block * BLOCK + number) as *const Pair) };
            numbers[half][2 * pair] = two.0[0];
            numbers[half][2 * pair + 1] = two.0[1];
        }
        #[unroll]
        for i in 0..4usize {
            largest = largest.max(numbers[half][i].to_bits() & 0x7fff_ffff);
        }
    }
    let top = (reduce_max_sync(u32::MAX, largest) >> 23).max(LEAST);
    if top >= MOST {
        return 0.0;
    }
    // The largest has 30 bits and a sign.
    let factor = f32::from_bits((283 - top) << 23);
    #[unroll]
    for half in 0..2usize {
        let mut high = [0u32; 4];
        let mut low = [0u32; 4];
        #[unroll]
        for i in 0..4usize {
            let x = numbers[half][i] * factor;
            let whole = x.round_ties_even() as i32;
            // No bit is lost: `x` has 24, and `whole` is `x`, or has fewer.
            let rest = (x - whole as f32) * (1u32 << 30) as f32;
            high[i] = digits_of(whole);
            low[i] = digits_of(rest.round_ties_even() as i32);
        }
        let block = half * 4 + lane / 8;
        let place = to + block * DIGITS + lane % 4 * 2 + lane / 4 % 2;
        let (low, high) = (transposed(low), transposed(high));
        assume(place + 56 < digits.len());
        #[unroll]
        for d in 0..4usize {
            digits[place + 8 * d] = low[d];
            digits[place + 8 * (d + 4)] = high[d];
        }
    }
    f32::from_bits((top - 29) << 23)
}

/// The digits of a number below 2^31 - 2^24: from the lowest to the highest but one, each is a byte less 128.
#[gpu_fn]
fn digits_of(number: i32) -> u32 {
    (number as u32).wrapping_add(0x0080_8080) ^ 0x0080_8080
}

/// Word `i` has the bytes `i` of all words.
#[gpu_fn]
fn transposed(words: [u32; 4]) -> [u32; 4] {
    let [a, b, c, d] = words;
    let (ab, cd) = (byte_perm(a, b, 0x5140), byte_perm(c, d, 0x5140));
    let (high_ab, high_cd) = (byte_perm(a, b, 0x7362), byte_perm(c, d, 0x7362));
    [
        byte_perm(ab, cd, 0x5410),
        byte_perm(ab, cd, 0x7632),
        byte_perm(high_ab, high_cd, 0x5410),
        byte_perm(high_ab, high_cd, 0x7632),
    ]
}
