//! The formats of sixteen bits, and the one rounding of a double to them.
//!
//! The crate `half` cuts a double to its upper half first, which takes some doubles beside a tie for the tie.

use std::cmp::Ordering;

use super::{bf16, f16};

/// Floats of sixteen bits that are the nearest to a double.
pub trait Nearest: Sized {
    /// The nearest number, of two the even one; infinite beyond the greatest. Rounded once.
    #[must_use]
    fn nearest(value: f64) -> Self;
}

impl Nearest for f16 {
    fn nearest(value: f64) -> Self {
        Self::from_bits(F16.round(value))
    }
}

impl Nearest for bf16 {
    fn nearest(value: f64) -> Self {
        Self::from_bits(BF16.round(value))
    }
}

/// The nearest `f16`, as a double.
#[must_use]
pub fn nearest_half(value: f64) -> f64 {
    F16.widen(F16.round(value))
}

/// An integer as a double that narrower floats are rounded from: one that is inexact has its last bit set, and lies on no tie of
/// theirs.
#[must_use]
pub fn double_to_round(value: i128) -> f64 {
    let magnitude = value.unsigned_abs();
    let spare = (u128::BITS - magnitude.leading_zeros()).saturating_sub(WIDE + 1);
    let kept = magnitude >> spare;
    let inexact = u128::from(kept << spare != magnitude);
    let double = ((kept | inexact) << spare) as f64;
    if value < 0 { -double } else { double }
}

/// How a float of sixteen bits is laid out: bits of the fraction, and the exponent of the least normal number.
#[derive(Clone, Copy)]
pub(super) struct Format {
    fraction: u32,
    least: i32,
}

pub(super) const F16: Format = Format { fraction: 10, least: -14 };
pub(super) const BF16: Format = Format { fraction: 7, least: -126 };

/// Bits of the fraction of an `f64`.
const WIDE: u32 = 52;

impl Format {
    /// The bits of infinity.
    fn infinity(self) -> u16 {
        0x7fff >> self.fraction << self.fraction
    }

    /// The nearest number, of two the even one.
    pub(super) fn round(self, value: f64) -> u16 {
        let bits = value.to_bits();
        let sign = (bits >> 48) as u16 & 0x8000;
        if value.is_nan() {
            let payload = (bits >> (WIDE - self.fraction)) as u16 & !(u16::MAX << self.fraction);
            return sign | self.infinity() | 1 << (self.fraction - 1) | payload;
        }
        let exponent = (bits >> WIDE) as i32 & 0x7ff;
        let exponent = exponent - 1023;
        if exponent < self.least - self.fraction as i32 - 1 {
            return sign;
        }
        let significand = bits & ((1 << WIDE) - 1) | 1 << WIDE;
        let below = (self.least - exponent).max(0);
        let shift = WIDE - self.fraction + below as u32;
        let (kept, lost) = (significand >> shift, significand & ((1 << shift) - 1));
        let up = match lost.cmp(&(1 << (shift - 1))) {
            Ordering::Greater => 1,
            Ordering::Equal => kept & 1,
            Ordering::Less => 0,
        };
        // A carry out of the fraction is one more in the exponent.
        let above = u64::from((exponent - self.least).max(0).cast_unsigned());
        let magnitude = (above << self.fraction) + kept + up;
        sign | magnitude.min(self.infinity().into()) as u16
    }

    /// The number, exactly.
    pub(super) fn widen(self, bits: u16) -> f64 {
        let (magnitude, infinity) = (bits & 0x7fff, self.infinity());
        let sign = u64::from(bits & 0x8000) << 48;
        let fraction = magnitude & !(u16::MAX << self.fraction);
        if magnitude >= infinity {
            let quiet = u64::from(magnitude > infinity) << (WIDE - 1);
            let payload = u64::from(fraction) << (WIDE - self.fraction);
            return f64::from_bits(sign | 0x7ff << WIDE | quiet | payload);
        }
        let exponent = i32::from(magnitude >> self.fraction);
        let implied = i32::from(exponent > 0) << self.fraction;
        let significand = f64::from(implied + i32::from(fraction));
        let scale = self.least - self.fraction as i32 + (exponent - 1).max(0);
        let power = f64::from_bits(((1023 + scale) as u64) << WIDE);
        f64::from_bits((significand * power).to_bits() | sign)
    }
}
