//! CUDA's math library beyond Rust's: reciprocal roots, `sinpi`, error functions, Bessel functions.
//!
//! Each takes `f32` and `f64`. The simulator computes an `f32` in `f64` and rounds once, so it is
//! within 0.51 ulp of the true value, for numbers of normal size; an `f64` is within 6 ulp, most
//! within 2, and a Bessel function near a zero within 4e-16. The bounds stated with each function are
//! a GPU's: NVIDIA's tables in the CUDA Programming Guide, in ulp of the correctly rounded result.

mod bessel;
pub(crate) mod elementary;
mod reference;
pub(crate) mod special;

pub use elementary::*;
pub use special::*;

use crate::device_api::number::Float;

mod sealed {
    /// Only this crate says what a CUDA float is.
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// `f32` or `f64`: what CUDA's math library is written for.
#[diagnostic::on_unimplemented(
    message = "CUDA's math library has no function for `{Self}`",
    label = "not `f32` or `f64`",
    note = "convert it with `as f32` first"
)]
pub trait MathFloat: Float + sealed::Sealed {
    /// Bits of the significand, the implicit one included.
    #[doc(hidden)]
    const PRECISION: u32;
    /// The exponent of the smallest positive value.
    #[doc(hidden)]
    const LEAST_EXPONENT: i32;
    /// The bits of infinity.
    #[doc(hidden)]
    const INFINITY_BITS: u64;
    /// The same value.
    #[doc(hidden)]
    fn wide(self) -> f64;
    /// The nearest value.
    #[doc(hidden)]
    fn narrow(value: f64) -> Self;
    /// The value of its bits, which are the low ones of a word.
    #[doc(hidden)]
    fn of_word(bits: u64) -> Self;
    /// The neighbour in the direction of another value.
    #[doc(hidden)]
    fn toward(self, other: Self) -> Self;
}

impl MathFloat for f32 {
    const PRECISION: u32 = 24;
    const LEAST_EXPONENT: i32 = -149;
    const INFINITY_BITS: u64 = 0x7f80_0000;

    fn wide(self) -> f64 {
        self.into()
    }

    fn narrow(value: f64) -> Self {
        value as f32
    }

    fn of_word(bits: u64) -> Self {
        f32::from_bits(bits as u32)
    }

    fn toward(self, other: Self) -> Self {
        libm::nextafterf(self, other)
    }
}

impl MathFloat for f64 {
    const PRECISION: u32 = 53;
    const LEAST_EXPONENT: i32 = -1074;
    const INFINITY_BITS: u64 = 0x7ff0_0000_0000_0000;

    fn wide(self) -> f64 {
        self
    }

    fn narrow(value: f64) -> Self {
        value
    }

    fn of_word(bits: u64) -> Self {
        f64::from_bits(bits)
    }

    fn toward(self, other: Self) -> Self {
        libm::nextafter(self, other)
    }
}

#[cfg(test)]
mod tests;
