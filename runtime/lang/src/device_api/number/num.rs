//! Numbers of every type.

use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Rem, RemAssign, Sub, SubAssign};

use crate::half::{Nearest as _, bf16, double_to_round, f16};

use crate::types::{AnyBits, Constant, DeviceType, operators};

/// A number: every integer and float type.
pub trait Num:
    AnyBits
    + Constant
    + DeviceType<Erased = Self>
    + Default
    + PartialOrd
    + core::fmt::Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Rem<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + RemAssign
    + operators::Add
    + operators::Sub
    + operators::Mul
    + operators::Div
    + operators::Rem
    + operators::AddAssign
    + operators::SubAssign
    + operators::MulAssign
    + operators::DivAssign
    + operators::RemAssign
    + operators::PartialEq
    + operators::Default
    + 'static
{
    /// `0`
    const ZERO: Self;
    /// `1`
    const ONE: Self;
    /// The smallest finite value.
    const LOWEST: Self;
    /// The largest finite value.
    const HIGHEST: Self;

    /// The value as another type, as `as` converts: floats to integers truncate and saturate, integers
    /// to narrower ones wrap, and to floats all round to nearest.
    #[inline]
    fn cast<U: Num>(self) -> U {
        U::from_number(self.to_number())
    }

    /// The value as the widest of its kind.
    #[doc(hidden)]
    fn to_number(self) -> Number;

    /// The nearest value of the type, as `as` converts.
    #[doc(hidden)]
    fn from_number(number: Number) -> Self;

    /// `self.cast::<U>()` in a witness.
    #[doc(hidden)]
    fn cast_in_kernels<U: Num>(self, _probe: &crate::witness::FnProbe<operators::CastMarker>) -> U {
        crate::witness::never_called()
    }
}

/// A number on its way from one type to another.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Number {
    /// Any integer.
    Int(i128),
    /// A float of up to 32 bits.
    F32(f32),
    /// A float of 64 bits.
    F64(f64),
}

macro_rules! numbers {
    ($kind:ident $as:ty, $zero:literal, $one:literal: $($t:ty)+) => {$(
        impl Num for $t {
            const ZERO: Self = $zero;
            const ONE: Self = $one;
            const LOWEST: Self = <$t>::MIN;
            const HIGHEST: Self = <$t>::MAX;

            #[inline]
            fn to_number(self) -> Number {
                Number::$kind(self as $as)
            }

            #[inline]
            fn from_number(number: Number) -> Self {
                match number {
                    Number::Int(value) => value as $t,
                    Number::F32(value) => value as $t,
                    Number::F64(value) => value as $t,
                }
            }
        }
    )+};
}

numbers! { Int i128, 0, 1: i8 i16 i32 i64 isize u8 u16 u32 u64 usize }
numbers! { F32 f32, 0.0, 1.0: f32 }
numbers! { F64 f64, 0.0, 1.0: f64 }

macro_rules! halves {
    ($($t:ty)+) => {$(
        impl Num for $t {
            const ZERO: Self = <$t>::ZERO;
            const ONE: Self = <$t>::ONE;
            const LOWEST: Self = <$t>::MIN;
            const HIGHEST: Self = <$t>::MAX;

            #[inline]
            fn to_number(self) -> Number {
                Number::F32(self.to_f32())
            }

            #[inline]
            fn from_number(number: Number) -> Self {
                match number {
                    Number::Int(value) => Self::nearest(double_to_round(value)),
                    Number::F32(value) => Self::from_f32(value),
                    Number::F64(value) => Self::nearest(value),
                }
            }
        }
    )+};
}

halves! { f16 bf16 }
