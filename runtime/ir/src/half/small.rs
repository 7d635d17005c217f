//! `f16` and `bf16` without the crate `half`: a part of its interface, computed in `f32` and rounded once.

#![allow(non_camel_case_types, reason = "the names that Rust will give them")]

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, RemAssign, Sub, SubAssign};

/// How a float of sixteen bits is laid out: bits of the fraction, and the exponent of the least normal number.
#[derive(Clone, Copy)]
struct Format {
    fraction: u32,
    least: i32,
}

const F16: Format = Format { fraction: 10, least: -14 };
const BF16: Format = Format { fraction: 7, least: -126 };

/// Bits of the fraction of an `f64`.
const WIDE: u32 = 52;

impl Format {
    /// The bits of infinity.
    fn infinity(self) -> u16 {
        0x7fff >> self.fraction << self.fraction
    }

    /// The nearest number, of two the even one.
    fn round(self, value: f64) -> u16 {
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
    fn widen(self, bits: u16) -> f64 {
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

macro_rules! float {
    ($($(#[$doc:meta])* $name:ident $format:ident, $one:literal, $most:literal;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Default)]
        #[repr(transparent)]
        pub struct $name(u16);

        impl $name {
            /// Zero.
            pub const ZERO: Self = Self(0);
            /// One.
            pub const ONE: Self = Self($one);
            /// The greatest finite number.
            pub const MAX: Self = Self($most);
            /// The least finite number.
            pub const MIN: Self = Self($most | 0x8000);

            /// The number of these bits.
            pub const fn from_bits(bits: u16) -> Self {
                Self(bits)
            }

            /// Its bits.
            pub const fn to_bits(self) -> u16 {
                self.0
            }

            /// The nearest number.
            pub fn from_f32(value: f32) -> Self {
                Self($format.round(value.into()))
            }

            /// The nearest number.
            pub fn from_f64(value: f64) -> Self {
                Self($format.round(value))
            }

            /// The number.
            pub fn to_f32(self) -> f32 {
                $format.widen(self.0) as f32
            }

            /// The number.
            pub fn to_f64(self) -> f64 {
                $format.widen(self.0)
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.to_f32() == other.to_f32()
            }
        }

        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                self.to_f32().partial_cmp(&other.to_f32())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.to_f32(), f)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.to_f32(), f)
            }
        }

        impl Neg for $name {
            type Output = Self;
            fn neg(self) -> Self {
                Self(self.0 ^ 0x8000)
            }
        }

        impl Neg for &$name {
            type Output = $name;
            fn neg(self) -> $name {
                -*self
            }
        }

        float! { @operators $name: Add add AddAssign add_assign +, Sub sub SubAssign sub_assign -,
            Mul mul MulAssign mul_assign *, Div div DivAssign div_assign /, Rem rem RemAssign rem_assign % }
    )+};
    (@operators $name:ident: $($op:ident $method:ident $assign:ident $assign_method:ident $token:tt),+) => {$(
        impl $op for $name {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                Self::from_f32(self.to_f32() $token other.to_f32())
            }
        }

        impl $op<&$name> for $name {
            type Output = Self;
            fn $method(self, other: &Self) -> Self {
                self $token *other
            }
        }

        impl $op<$name> for &$name {
            type Output = $name;
            fn $method(self, other: $name) -> $name {
                *self $token other
            }
        }

        impl $op<&$name> for &$name {
            type Output = $name;
            fn $method(self, other: &$name) -> $name {
                *self $token *other
            }
        }

        impl $assign for $name {
            fn $assign_method(&mut self, other: Self) {
                *self = *self $token other;
            }
        }

        impl $assign<&$name> for $name {
            fn $assign_method(&mut self, other: &Self) {
                *self = *self $token *other;
            }
        }
    )+};
}

float! {
    /// Half precision: eleven bits of precision, five of exponent.
    f16 F16, 0x3c00, 0x7bff;
    /// The upper half of an `f32`: eight bits of precision.
    bf16 BF16, 0x3f80, 0x7f7f;
}
