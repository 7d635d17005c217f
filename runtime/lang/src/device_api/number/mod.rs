//! Numbers: what generic device code bounds its types with.

mod half_float;
mod int;
mod num;
mod wrapping;

pub use int::Int;
pub use num::{Num, Number};

use core::cmp::Ordering;
use core::ops::Neg;

use crate::device_api::methods::{FloatBits, FloatMethods, TotalMethods};
use crate::types::operators;

/// Declares [`Float`] with std's methods, for generic device code.
macro_rules! float {
    ($($method:ident($($arg:ident: $ty:ty),*);)+ => $($other:ident($($by:ident: $of:ty),*) -> $ret:ty;)+) => {
        /// `f16`, `bf16`, `f32` or `f64`, with the methods that `f64` has in Rust's library.
        pub trait Float: Num + Neg<Output = Self> + operators::Neg + FloatMethods + TotalMethods {
            $(
                #[doc = concat!("As `f64::", stringify!($method), "`.")]
                fn $method(self $(, $arg: $ty)*) -> Self;
            )+
            $(
                #[doc = concat!("As `f64::", stringify!($other), "`.")]
                fn $other(self $(, $by: $of)*) -> $ret;
            )+
            /// As `f64::from_bits`, of the unsigned integer of this size.
            fn from_bits(bits: <Self as FloatBits>::Bits) -> Self;
            /// As `f64::total_cmp`.
            fn total_cmp(&self, other: &Self) -> Ordering;
        }

        float! { impl f32: $($method($($arg: $ty),*) -> Self;)+ $($other($($by: $of),*) -> $ret;)+ }
        float! { impl f64: $($method($($arg: $ty),*) -> Self;)+ $($other($($by: $of),*) -> $ret;)+ }
        half_float::halves! { $($method($($arg: $ty),*);)+ }
    };
    (impl $float:ident: $($method:ident($($arg:ident: $ty:ty),*) -> $ret:ty;)+) => {
        impl Float for $float {
            $(
                #[inline]
                fn $method(self $(, $arg: $ty)*) -> $ret {
                    $float::$method(self $(, $arg)*)
                }
            )+

            #[inline]
            fn from_bits(bits: <Self as FloatBits>::Bits) -> Self {
                $float::from_bits(bits)
            }

            #[inline]
            fn total_cmp(&self, other: &Self) -> Ordering {
                $float::total_cmp(self, other)
            }
        }
    };
}

float! {
    sqrt(); cbrt(); exp(); exp2(); ln(); log2(); log10(); sin(); cos(); tan(); sinh(); cosh(); tanh(); asin(); acos(); atan();
    asinh(); acosh(); atanh(); exp_m1(); ln_1p(); to_degrees(); to_radians(); round_ties_even(); next_up(); next_down();
    log(base: Self); div_euclid(other: Self); rem_euclid(other: Self); midpoint(other: Self);
    abs(); floor(); ceil(); round(); trunc(); fract(); recip(); signum();
    mul_add(a: Self, b: Self); atan2(other: Self); hypot(other: Self); powf(n: Self); powi(n: i32);
    min(other: Self); max(other: Self); clamp(low: Self, high: Self); copysign(sign: Self);
    =>
    sin_cos() -> (Self, Self);
    is_nan() -> bool; is_infinite() -> bool; is_finite() -> bool; is_normal() -> bool; is_subnormal() -> bool;
    is_sign_negative() -> bool; is_sign_positive() -> bool; to_bits() -> <Self as FloatBits>::Bits;
}
