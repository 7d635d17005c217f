//! The numbers of reductions and scans.

use warpsmith::prelude::*;

/// A number and its total, the type in which many of them are added or multiplied.
///
/// | elements | total |
/// |---|---|
/// | `f16` `bf16` `f32` | `f32` |
/// | `f64` | `f64` |
/// | `i8` `i16` `i32` `i64` `isize` | `i64`, wrapping |
/// | `u8` `u16` `u32` `u64` `usize` | `u64`, wrapping |
#[gpu_trait]
pub trait Number: Num {
    /// The type of totals.
    type Total: Total;
    /// The least value: negative infinity of floats.
    const LEAST: Self;
    /// The greatest value: infinity of floats.
    const MOST: Self;

    /// The value as a total.
    fn total(self) -> Self::Total;
    /// The sum in the type itself. Integers wrap.
    fn summed(self, other: Self) -> Self;
    /// The lesser of both. Of a number and a NaN, it is the number.
    fn lesser(self, other: Self) -> Self;
    /// The greater of both. Of a number and a NaN, it is the number.
    fn greater(self, other: Self) -> Self;
}

/// A type of totals.
#[gpu_trait]
pub trait Total: Num {
    /// The sum. Integers wrap.
    fn plus(self, other: Self) -> Self;
    /// The product. Integers wrap.
    fn times(self, other: Self) -> Self;
}

/// A number that calculations take as a float: integers as `f64`, `f16` and `bf16` as `f32`.
#[gpu_trait]
pub trait Real: Num {
    /// The float.
    type Float: Float;

    /// The value as a float.
    fn real(self) -> Self::Float;
    /// `x / n` for a count `n`, to a few units in the last place.
    fn per(x: Self::Float, n: Self::Float) -> Self::Float;
}

macro_rules! totals {
    ($($t:ident: |$a:ident, $b:ident| $sum:expr, $product:expr;)+) => {$(
        #[gpu_impl]
        impl Total for $t {
            fn plus(self, other: Self) -> Self {
                let ($a, $b) = (self, other);
                $sum
            }
            fn times(self, other: Self) -> Self {
                let ($a, $b) = (self, other);
                $product
            }
        }
    )+};
}

totals! {
    f32: |a, b| a + b, a * b;
    f64: |a, b| a + b, a * b;
    i64: |a, b| a.wrapping_add(b), a.wrapping_mul(b);
    u64: |a, b| a.wrapping_add(b), a.wrapping_mul(b);
}

macro_rules! numbers {
    ($($t:ident $total:ident $float:ident $least:ident $most:ident, $divided:ident, |$a:ident, $b:ident| $sum:expr;)+) => {$(
        #[gpu_impl]
        impl Number for $t {
            type Total = $total;
            const LEAST: Self = <$t>::$least;
            const MOST: Self = <$t>::$most;

            fn total(self) -> $total {
                self.cast::<$total>()
            }
            fn summed(self, other: Self) -> Self {
                let ($a, $b) = (self, other);
                $sum
            }
            fn lesser(self, other: Self) -> Self {
                self.min(other)
            }
            fn greater(self, other: Self) -> Self {
                self.max(other)
            }
        }

        #[gpu_impl]
        impl Real for $t {
            type Float = $float;

            fn real(self) -> $float {
                self.cast::<$float>()
            }
            fn per(x: $float, n: $float) -> $float {
                $divided(x, n)
            }
        }
    )+};
}

/// The quotient of two numbers of 64 bits.
#[gpu_fn]
fn quotient(x: f64, n: f64) -> f64 {
    x / n
}

numbers! {
    f16 f32 f32 NEG_INFINITY INFINITY, fast_div, |a, b| a + b;
    bf16 f32 f32 NEG_INFINITY INFINITY, fast_div, |a, b| a + b;
    f32 f32 f32 NEG_INFINITY INFINITY, fast_div, |a, b| a + b;
    f64 f64 f64 NEG_INFINITY INFINITY, quotient, |a, b| a + b;
    i8 i64 f64 MIN MAX, quotient, |a, b| a.wrapping_add(b);
    i16 i64 f64 MIN MAX, quotient, |a, b| a.wrapping_add(b);
    i32 i64 f64 MIN MAX, quotient, |a, b| a.wrapping_add(b);
    i64 i64 f64 MIN MAX, quotient, |a, b| a.wrapping_add(b);
    isize i64 f64 MIN MAX, quotient, |a, b| a.wrapping_add(b);
    u8 u64 f64 MIN MAX, quotient, |a, b| a.wrapping_add(b);
    u16 u64 f64 MIN MAX, quotient, |a, b| a.wrapping_add(b);
    u32 u64 f64 MIN MAX, quotient, |a, b| a.wrapping_add(b);
    u64 u64 f64 MIN MAX, quotient, |a, b| a.wrapping_add(b);
    usize u64 f64 MIN MAX, quotient, |a, b| a.wrapping_add(b);
}
