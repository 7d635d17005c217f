//! The exact model of the sums of a matrix product, which the simulator computes with.
//!
//! Products are exact. Floats: a lane's sum and the products are added in `f64`, in the order of `k`, and rounded once, to the
//! nearest number of the accumulator, ties to even; of `f64` itself, each step is a fused multiply-add. A NaN is the one
//! that GPUs give. Integers: the sum is exact, and then wraps or is clamped.
//!
//! PTX leaves order and rounding within an instruction open, and GPUs round differently: they align the products to the
//! largest and cut the bits below. A model of one GPU, bit by bit, would stand beside this file, with the same functions.
//!
//! Source: PTX ISA, `mma`, on the precision of each type.

use super::operands::Operands;
use crate::half::f16;

/// The sums of floats that are accumulated in `f32`.
pub(super) fn to_f32<const C: usize>(operands: &Operands<f64>, sums: [f32; C]) -> [f32; C] {
    std::array::from_fn(|i| match total(operands, i, sums[i].into()) {
        sum if sum.is_nan() => f32::from_bits(0x7fff_ffff),
        sum => sum as f32,
    })
}

/// The sums of floats that are accumulated in `f16`, two in a register.
pub(super) fn to_f16(operands: &Operands<f64>, sums: [u32; 2]) -> [u32; 2] {
    let element = |i: usize| {
        let old = f16::from_bits((sums[i / 2] >> (i % 2 * 16)) as u16);
        match total(operands, i, old.to_f64()) {
            sum if sum.is_nan() => 0x7fff,
            sum => u32::from(f16::from_f64(sum).to_bits()),
        }
    };
    [element(0) | element(1) << 16, element(2) | element(3) << 16]
}

/// The sums of `f64`.
pub(super) fn to_f64<const C: usize>(operands: &Operands<f64>, sums: [f64; C]) -> [f64; C] {
    std::array::from_fn(|i| operands.factors(i).fold(sums[i], |sum, (a, b)| a.mul_add(b, sum)))
}

/// The sums of integers, which wrap.
pub(super) fn to_i32(operands: &Operands<i64>, sums: [i32; 4]) -> [i32; 4] {
    std::array::from_fn(|i| integer(operands, i, sums[i]) as i32)
}

/// The sums of integers, clamped to what an `i32` holds.
pub(super) fn to_clamped_i32(operands: &Operands<i64>, sums: [i32; 4]) -> [i32; 4] {
    std::array::from_fn(|i| integer(operands, i, sums[i]).clamp(i32::MIN.into(), i32::MAX.into()) as i32)
}

fn total(operands: &Operands<f64>, i: usize, sum: f64) -> f64 {
    operands.factors(i).fold(sum, |sum, (a, b)| sum + a * b)
}

fn integer(operands: &Operands<i64>, i: usize, sum: i32) -> i64 {
    operands.factors(i).fold(sum.into(), |sum, (a, b)| sum + a * b)
}
