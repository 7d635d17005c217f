//! Blocks of 32 quantised numbers that share a scale, in memory as ggml has them.

use warpsmith::prelude::*;

/// Numbers of a block.
pub const BLOCK: usize = 32;

/// 32 numbers of eight bits: number `i` is `scale * values[i]`.
///
/// Source: ggml, `block_q8_0`.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
pub struct Q8_0 {
    /// The scale.
    pub scale: f16,
    /// The numbers, divided by the scale.
    pub values: [i8; BLOCK],
}

/// 32 numbers of four bits: number `i` is `scale * (n - 8)`, where `n` is the low half of `values[i]`, or the high half of
/// `values[i - 16]`.
///
/// Source: ggml, `block_q4_0`.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
pub struct Q4_0 {
    /// The scale.
    pub scale: f16,
    /// Two numbers in each byte, divided by the scale, and eight added.
    pub values: [u8; BLOCK / 2],
}

/// Two neighbouring floats, which one instruction loads.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C, align(8))]
pub struct Pair(pub [f32; 2]);

/// A block of quantised numbers: [`Q8_0`] or [`Q4_0`]. Kernels read it in units of two bytes, of which the first is the scale.
#[gpu_trait]
pub trait Quantized: GpuType + 'static {
    /// Units of a block.
    const UNITS: usize;
    /// Whether a unit has numbers of both halves of the block.
    const HALVES: bool;

    /// The sum of products of a unit's numbers, without the scale. The unit is the half of `word` from byte `byte` on. Its
    /// numbers are multiplied by `low`; with [`HALVES`](Quantized::HALVES), those of the second half by `high`.
    fn products(sum: f32, word: u32, byte: u32, low: Pair, high: Pair) -> f32;

    /// What a number of [`two_blocks`](Quantized::two_blocks) is multiplied by, beside its scale.
    const UNIT: f32;

    /// Two blocks that begin at word `at` of shared memory, as operands of tensor cores: of each, the numbers that a lane has by its place
    /// among the four of a row. [`number`](Quantized::number) says which.
    fn two_blocks(words: &[u32], at: usize, quarter: usize) -> TwoBlocks;

    /// The number of block `block` of a row that [`two_blocks`](Quantized::two_blocks) has at a place: in operand `place / 16` of lane
    /// `place % 16 / 4`, byte `place % 4`.
    fn number(block: usize, place: usize) -> usize;
}

/// A lane's share of two blocks: operands of tensor cores.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct TwoBlocks {
    /// Four numbers of the first 16 of each block, and four of the others, as `i8`.
    pub numbers: [[u32; 2]; 2],
    /// The scales.
    pub scales: [f32; 2],
}

/// Blocks that the host makes from numbers, and reads.
pub trait HostBlock: Quantized {
    /// The block whose numbers are nearest: the one of the greatest magnitude decides the scale.
    fn of(numbers: &[f32; BLOCK]) -> Self;

    /// The numbers.
    fn numbers(&self) -> [f32; BLOCK];
}

/// Byte number `k` as a float, less `bias`: the byte becomes the last of the float `0x4b0000..`, 2^23 and that many.
#[gpu_fn]
fn float_of_byte(word: u32, k: u32, bias: f32) -> f32 {
    f32::from_bits(byte_perm(word, 0x4b00_0000, 0x7440 + k)) - bias
}

/// Four numbers of the first of two blocks: those of `word`. The block's numbers begin in the middle of its first word, so the last lane of
/// a row has the first two bytes of `word`, and the last two of `first`.
#[gpu_fn]
fn unaligned(word: u32, first: u32, quarter: usize) -> u32 {
    byte_perm(word, first, if quarter == 3 { 0x7610 } else { 0x3210 })
}

/// The scales of two blocks: in the low half of a word, and in the high half of another.
#[gpu_fn]
fn two_scales(first: u32, second: u32) -> [f32; 2] {
    let both = byte_perm(first, second, 0x7610);
    [f16::from_bits(both as u16).to_f32(), f16::from_bits((both >> 16) as u16).to_f32()]
}

#[gpu_impl]
impl Quantized for Q8_0 {
    const UNITS: usize = 17;
    const HALVES: bool = false;

    fn products(sum: f32, word: u32, byte: u32, low: Pair, _high: Pair) -> f32 {
        // From `-128..` to `0..`.
        let bytes = word ^ 0x8080_8080;
        let first = float_of_byte(bytes, byte, 8_388_736.0).mul_add(low.0[0], sum);
        float_of_byte(bytes, byte + 1, 8_388_736.0).mul_add(low.0[1], first)
    }

    const UNIT: f32 = 1.0;

    fn two_blocks(words: &[u32], at: usize, quarter: usize) -> TwoBlocks {
        let own = at + quarter;
        assume(own + 13 < words.len());
        let (scale, next_scale) = (words[at], words[at + 8]);
        TwoBlocks {
            numbers: [
                [words[own + 1], unaligned(words[own + 5], scale, quarter)],
                [words[own + 9], words[own + 13]],
            ],
            scales: two_scales(scale, next_scale),
        }
    }

    fn number(block: usize, place: usize) -> usize {
        if block.is_multiple_of(2) { (place + 2) % BLOCK } else { place }
    }
}

#[gpu_impl]
impl Quantized for Q4_0 {
    const UNITS: usize = 9;
    const HALVES: bool = true;

    fn products(sum: f32, word: u32, byte: u32, low: Pair, high: Pair) -> f32 {
        let (lows, highs) = (word & 0x0f0f_0f0f, word >> 4 & 0x0f0f_0f0f);
        let mut total = float_of_byte(lows, byte, 8_388_616.0).mul_add(low.0[0], sum);
        total = float_of_byte(lows, byte + 1, 8_388_616.0).mul_add(low.0[1], total);
        total = float_of_byte(highs, byte, 8_388_616.0).mul_add(high.0[0], total);
        float_of_byte(highs, byte + 1, 8_388_616.0).mul_add(high.0[1], total)
    }

    const UNIT: f32 = 1.0 / 16.0;

    fn two_blocks(words: &[u32], at: usize, quarter: usize) -> TwoBlocks {
        let own = at + quarter;
        assume(own + 5 < words.len());
        let (scale, next_scale) = (words[at], words[at + 4]);
        TwoBlocks {
            numbers: [sixteenfold(unaligned(words[own + 1], scale, quarter)), sixteenfold(words[own + 5])],
            scales: two_scales(scale, next_scale),
        }
    }

    fn number(block: usize, place: usize) -> usize {
        let turned = if block.is_multiple_of(2) { place + 2 } else { place };
        place / (BLOCK / 2) * (BLOCK / 2) + turned % (BLOCK / 2)
    }
}

/// Sixteen times the numbers of the low halves of a word's bytes, and of the high halves, as `i8`: a half less 8 is that half with its
/// first bit turned, in two's complement.
#[gpu_fn]
fn sixteenfold(word: u32) -> [u32; 2] {
    [word << 4 & 0xf0f0_f0f0 ^ 0x8080_8080, word & 0xf0f0_f0f0 ^ 0x8080_8080]
}

/// The number of the greatest magnitude, with its sign.
fn extreme(numbers: &[f32; BLOCK]) -> f32 {
    numbers.iter().fold(0.0, |most: f32, x| if x.abs() > most.abs() { *x } else { most })
}

impl HostBlock for Q8_0 {
    fn of(numbers: &[f32; BLOCK]) -> Self {
        let scale = extreme(numbers).abs() / 127.0;
        let factor = if scale == 0.0 { 0.0 } else { 1.0 / scale };
        Self { scale: f16::from_f32(scale), values: numbers.map(|x| (x * factor).round() as i8) }
    }

    fn numbers(&self) -> [f32; BLOCK] {
        self.values.map(|value| f32::from(value) * self.scale.to_f32())
    }
}

impl HostBlock for Q4_0 {
    fn of(numbers: &[f32; BLOCK]) -> Self {
        // The extreme becomes -8, the number of the greatest magnitude.
        let scale = extreme(numbers) / -8.0;
        let factor = if scale == 0.0 { 0.0 } else { 1.0 / scale };
        let nibble = |x: f32| (x * factor + 8.5).clamp(0.0, 15.0) as u8;
        let values = std::array::from_fn(|i| nibble(numbers[i]) | nibble(numbers[i + BLOCK / 2]) << 4);
        Self { scale: f16::from_f32(scale), values }
    }

    fn numbers(&self) -> [f32; BLOCK] {
        let nibble =
            |i: usize| if i < BLOCK / 2 { self.values[i] & 15 } else { self.values[i - BLOCK / 2] >> 4 };
        std::array::from_fn(|i| (f32::from(nibble(i)) - 8.0) * self.scale.to_f32())
    }
}
