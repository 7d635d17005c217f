//! Sums of floats as tensor cores compute them: exact, or with the bits cut that an H200 cuts.
//!
//! [`TensorCores::Hopper`] is a model that was fitted to an H200 by random products (`benches/random_products/`). The terms of a sum
//! are the products and the old sum. They are aligned to the greatest exponent among them, and the bits that are too far behind
//! it are cut off. The terms are then added exactly, and the sum is cut to its format, or rounded to the nearest `f16`.
//!
//! The exponent of a product is the sum of its factors' exponents, though the product itself may be twice as large. Zeros have no
//! exponent, and none is below that of the smallest `bf16`. A sum that is zero is positive.

pub use warpsmith_ir::half::nearest_half;

/// How the simulator adds the tensor-core products.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TensorCores {
    /// Products and their sum are exact, and the sum is rounded once, to the nearest.
    #[default]
    Exact,
    /// As an H200 does. The reference lists the instructions whose results were found to be equal in every bit.
    Hopper,
}

/// How an instruction multiplies floats and adds the products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorSum {
    /// The formats of both operands.
    pub operands: [FloatFormat; 2],
    /// What adds.
    pub unit: TensorUnit,
}

/// A format of the floats that tensor cores multiply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "their names say what they are")]
pub enum FloatFormat {
    F16,
    Bf16,
    Tf32,
    E4m3,
    E5m2,
}

/// What adds the products of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorUnit {
    /// Sums of `f32`.
    Single,
    /// Sums of `f16`.
    Half,
    /// Sums of `f32` whose lowest ten bits are zero: `wgmma` of 8-bit elements.
    Short,
    /// Sums of `f32` of elements that become `f16` first. Of every four along K the products of the first two are added, then
    /// those of the others, and an addition of `f32` adds the old sum. `mma` of 8-bit elements compiles to this.
    Converted,
}

/// The exponent of the smallest normal `f32`.
const LEAST: i32 = -126;
/// The exponent of the smallest normal `f16`.
const LEAST_HALF: i32 = -14;

impl FloatFormat {
    /// The exponent of the smallest normal number, which smaller ones have too.
    #[must_use]
    pub fn least(self) -> i32 {
        match self {
            Self::F16 | Self::E5m2 => LEAST_HALF,
            Self::Bf16 | Self::Tf32 => LEAST,
            Self::E4m3 => -6,
        }
    }
}

impl TensorSum {
    /// A sum of `f32`: the products of the elements of `a` and `b`, and the old sum. A NaN is the one that GPUs give.
    #[must_use]
    pub fn sum_f32(&self, cores: TensorCores, a: &[f64], b: &[f64], old: f32) -> f32 {
        match self.sum(cores, a, b, old.into()) {
            sum if sum.is_nan() => f32::from_bits(0x7fff_ffff),
            sum => sum as f32,
        }
    }

    /// A sum as a number of its format; some NaN where GPUs give one.
    #[must_use]
    pub fn sum(&self, cores: TensorCores, a: &[f64], b: &[f64], old: f64) -> f64 {
        match (cores, self.unit) {
            // Zero is positive.
            (TensorCores::Hopper, _) => self.hopper(a, b, old) + 0.0,
            (TensorCores::Exact, TensorUnit::Half) => nearest_half(exact(a.iter().zip(b), old)),
            (TensorCores::Exact, _) => f64::from(exact(a.iter().zip(b), old) as f32),
        }
    }

    fn hopper(&self, a: &[f64], b: &[f64], old: f64) -> f64 {
        let (all, least) = (|| a.iter().zip(b), self.operands.map(FloatFormat::least));
        match self.unit {
            TensorUnit::Single => cut(fused(all(), least, (old, LEAST), 25), 23),
            TensorUnit::Half => nearest_half(fused(all(), least, (old, LEAST_HALF), 25)),
            TensorUnit::Short => cut(fused(all(), least, (old, LEAST), 13), 13),
            TensorUnit::Converted => {
                let half = |second: bool, old| {
                    let own =
                        all().enumerate().filter(|(k, _)| (k & 2 != 0) == second).map(|(_, factors)| factors);
                    cut(fused(own, [LEAST_HALF; 2], (old, LEAST), 25), 23)
                };
                let products = half(true, half(false, 0.0));
                f64::from(old as f32 + products as f32)
            }
        }
    }
}

/// A step of a sum of `f64`: `a * b + c`, rounded once. A NaN stays: that of `b`, else that of `c`, else that of `a`. A new NaN is
/// the one that GPUs give.
#[must_use]
pub fn add_product(a: f64, b: f64, c: f64) -> f64 {
    let quiet = |nan: f64| f64::from_bits(nan.to_bits() | 1 << 51);
    let sum = a.mul_add(b, c);
    match [b, c, a].into_iter().find(|x| x.is_nan()) {
        Some(nan) => quiet(nan),
        None if sum.is_nan() => f64::from_bits(0xfff8 << 48),
        None => sum,
    }
}

/// The sum in the order of K, exact but for the limits of `f64`.
fn exact<'a>(factors: impl Iterator<Item = (&'a f64, &'a f64)>, old: f64) -> f64 {
    factors.fold(old, |sum, (a, b)| sum + a * b)
}

/// The sum of products and of the old sum, each cut `fraction` bits behind the greatest exponent. The old sum comes with the
/// least exponent of its format.
#[must_use]
pub fn fused<'a>(
    factors: impl Iterator<Item = (&'a f64, &'a f64)> + Clone,
    [least_a, least_b]: [i32; 2],
    (old, least): (f64, i32),
    fraction: i32,
) -> f64 {
    let (mut greatest, mut finite) = (LOWEST, old.is_finite());
    if old != 0.0 {
        greatest = exponent(old, least);
    }
    for (a, b) in factors.clone() {
        finite &= a.is_finite() && b.is_finite();
        if *a != 0.0 && *b != 0.0 {
            greatest = greatest.max(exponent(*a, least_a) + exponent(*b, least_b));
        }
    }
    if !finite {
        return exact(factors, old);
    }
    let scale = power(fraction - greatest);
    let total = factors.fold((old * scale) as i64, |sum, (a, b)| sum + (a * b * scale) as i64);
    total as f64 * power(greatest - fraction)
}

/// The exponent of a number, at least that of its format's smallest normal number.
fn exponent(x: f64, least: i32) -> i32 {
    ((x.to_bits() >> 52 & 0x7ff) as i32 - 1023).max(least)
}

/// The least exponent to which terms are aligned: that of the smallest `bf16`.
const LOWEST: i32 = -133;

/// 2ᵉ.
fn power(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// The nearest `f32` toward zero that has no more than `mantissa` bits behind the first; infinite from 2¹²⁸ on.
#[must_use]
pub fn cut(x: f64, mantissa: u32) -> f64 {
    let near = x as f32;
    if x.is_nan() || x.abs() >= power(128) {
        return near.into();
    }
    let cut = if f64::from(near).abs() > x.abs() { f32::from_bits(near.to_bits() - 1) } else { near };
    f32::from_bits(cut.to_bits() >> (23 - mantissa) << (23 - mantissa)).into()
}

#[cfg(test)]
mod tests {
    use super::TensorCores::{Exact, Hopper};
    use super::*;

    /// One and some equal terms, added to zero: exactly, and as an H200 adds.
    fn with_small(unit: TensorUnit, format: FloatFormat, count: usize, small: f64) -> [f32; 2] {
        let rule = TensorSum { operands: [format; 2], unit };
        let a: Vec<f64> = std::iter::once(1.0).chain(std::iter::repeat_n(small, count)).collect();
        [Exact, Hopper].map(|cores| rule.sum_f32(cores, &a, &vec![1.0; count + 1], 0.0))
    }

    #[test]
    fn terms_keep_25_bits_behind_the_greatest_exponent() {
        let one = |small| with_small(TensorUnit::Single, FloatFormat::Bf16, 8, small);
        let (step, eighth) = (1.0 + f32::EPSILON, f64::from(f32::EPSILON) / 8.0);
        assert_eq!(one(2.0 * eighth), [1.0 + 2.0 * f32::EPSILON; 2]);
        assert_eq!(one(eighth), [step, 1.0]);
    }

    #[test]
    fn a_warpgroup_keeps_13_bits_of_eighths() {
        let one = |small| with_small(TensorUnit::Short, FloatFormat::E5m2, 2, small);
        assert_eq!(one(power(-13)), [1.0 + f32::EPSILON * 2048.0; 2]);
        assert_eq!(one(power(-14)), [1.0 + f32::EPSILON * 1024.0, 1.0]);
    }

    #[test]
    fn an_old_sum_is_a_term_unless_it_is_zero() {
        let rule = TensorSum { operands: [FloatFormat::Bf16; 2], unit: TensorUnit::Single };
        let sum = |old| rule.sum_f32(Hopper, &[power(-80); 8], &[power(-74); 8], old);
        // Eight times 2⁻¹⁵⁴: lost beside the least normal exponent, which subnormal numbers have.
        assert_eq!(sum(f32::from_bits(4)), f32::from_bits(4));
        assert_eq!(rule.sum_f32(Hopper, &[power(-80); 64], &[power(-74); 64], -0.0), f32::from_bits(2));
        assert_eq!(sum(0.0).to_bits(), 0);
    }

    #[test]
    fn zero_is_positive_and_nan_is_one() {
        let rule = TensorSum { operands: [FloatFormat::F16; 2], unit: TensorUnit::Half };
        let tiny = [-power(-24)];
        assert_eq!(rule.sum(Hopper, &tiny, &[power(-24)], -0.0).to_bits(), 0);
        let single = TensorSum { unit: TensorUnit::Single, ..rule };
        assert_eq!(single.sum_f32(Hopper, &[f64::INFINITY], &[0.0], 0.0).to_bits(), 0x7fff_ffff);
        let nan = f64::from_bits(0x7ff0_0000_0000_0007);
        assert_eq!(add_product(nan, 1.0, 1.0).to_bits(), nan.to_bits() | 1 << 51);
        assert_eq!(add_product(f64::NAN, 1.0, nan).to_bits(), nan.to_bits() | 1 << 51);
        assert_eq!(add_product(f64::NAN, nan, f64::NAN).to_bits(), nan.to_bits() | 1 << 51);
        assert_eq!(add_product(0.0, f64::INFINITY, 1.0).to_bits(), 0xfff8 << 48);
    }
}
