//! `f16` and `bf16` without the crate `half`: a part of its interface, computed in `f32` and rounded once.

#![allow(non_camel_case_types, reason = "the names that Rust will give them")]

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, RemAssign, Sub, SubAssign};

use super::format::{BF16, F16};

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
