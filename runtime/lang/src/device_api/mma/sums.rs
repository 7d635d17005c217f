//! The sums of a matrix product.
//!
//! Floats are added as the launch's settings say: exactly, or as a GPU adds them. Of `f64`, each step is a fused multiply-add, in the
//! order of `k`. The sum of integers is exact, and then wraps or is clamped.
//!
//! Source: PTX ISA, `mma`, on the precision of each type, which leaves the order and the rounding within an instruction open.

use super::operands::{FloatElement, Format, Operands};
use crate::half::f16;
use crate::simulator::context::{self, TensorSum, TensorUnit};

/// The sums of floats that are accumulated in `f32`.
pub(super) fn to_f32<A: FloatElement, B: FloatElement, const C: usize>(
    operands: &Operands<A, B>,
    sums: [f32; C],
) -> [f32; C] {
    let unit = if A::BYTES == 1 { TensorUnit::Converted } else { TensorUnit::Single };
    let (rule, cores) = (TensorSum { operands: [A::FLOAT, B::FLOAT], unit }, context::tensor_cores());
    std::array::from_fn(|i| {
        let (a, b) = operands.of_sum(i);
        rule.sum_f32(cores, a, b, sums[i])
    })
}

/// The sums of floats that are accumulated in `f16`, two in a register.
pub(super) fn to_f16<A: FloatElement, B: FloatElement>(
    operands: &Operands<A, B>,
    sums: [u32; 2],
) -> [u32; 2] {
    let rule = TensorSum { operands: [A::FLOAT, B::FLOAT], unit: TensorUnit::Half };
    let cores = context::tensor_cores();
    let element = |i: usize| {
        let ((a, b), old) = (operands.of_sum(i), f16::from_bits((sums[i / 2] >> (i % 2 * 16)) as u16));
        match rule.sum(cores, a, b, old.to_f64()) {
            sum if sum.is_nan() => 0x7fff,
            sum => u32::from(f16::from_f64(sum).to_bits()),
        }
    };
    [element(0) | element(1) << 16, element(2) | element(3) << 16]
}

/// The sums of `f64`.
pub(super) fn to_f64<const C: usize>(operands: &Operands<f64, f64>, sums: [f64; C]) -> [f64; C] {
    std::array::from_fn(|i| operands.factors(i).fold(sums[i], |sum, (a, b)| context::add_product(a, b, sum)))
}

/// The sums of integers, which wrap.
pub(super) fn to_i32<A: Format<Value = i64>, B: Format<Value = i64>>(
    operands: &Operands<A, B>,
    sums: [i32; 4],
) -> [i32; 4] {
    std::array::from_fn(|i| integer(operands, i, sums[i]) as i32)
}

/// The sums of integers, clamped to what an `i32` holds.
pub(super) fn to_clamped_i32<A: Format<Value = i64>, B: Format<Value = i64>>(
    operands: &Operands<A, B>,
    sums: [i32; 4],
) -> [i32; 4] {
    std::array::from_fn(|i| integer(operands, i, sums[i]).clamp(i32::MIN.into(), i32::MAX.into()) as i32)
}

fn integer<A: Format<Value = i64>, B: Format<Value = i64>>(
    operands: &Operands<A, B>,
    i: usize,
    sum: i32,
) -> i64 {
    operands.factors(i).fold(sum.into(), |sum, (a, b)| sum + a * b)
}
