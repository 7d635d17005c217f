//! Integers, for generic device code.

use core::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Shl, Shr};

use super::Num;
use crate::device_api::methods::{IntMethods, Unsigned};
use crate::types::operators;

/// Declares [`Int`] with std's methods, for generic device code. `min`, `max` and `clamp` are those of `Ord`.
macro_rules! int {
    ($($method:ident($($arg:ident: $ty:ty),*) -> $ret:ty;)+) => {
        /// An integer type, with the methods that all integers have in Rust's library.
        pub trait Int:
            Num
            + Eq
            + Ord
            + BitAnd<Output = Self>
            + BitOr<Output = Self>
            + BitXor<Output = Self>
            + Not<Output = Self>
            + Shl<u32, Output = Self>
            + Shr<u32, Output = Self>
            + BitAndAssign
            + BitOrAssign
            + BitXorAssign
            + operators::BitAnd
            + operators::BitOr
            + operators::BitXor
            + operators::Not
            + operators::Shl<u32>
            + operators::Shr<u32>
            + operators::BitAndAssign
            + operators::BitOrAssign
            + operators::BitXorAssign
            + operators::Ord
            + IntMethods
        {
            /// The size in bits.
            const BITS: u32;
            $(
                #[doc = concat!("As `u32::", stringify!($method), "`.")]
                fn $method(self $(, $arg: $ty)*) -> $ret;
            )+
        }

        int! { @all i8 i16 i32 i64 isize u8 u16 u32 u64 usize => [$($method($($arg: $ty),*) -> $ret;)+] }
    };
    (@all $($int:ident)+ => $methods:tt) => {
        $(int! { @one $int $methods })+
    };
    (@one $int:ident [$($method:ident($($arg:ident: $ty:ty),*) -> $ret:ty;)+]) => {
        impl Int for $int {
            const BITS: u32 = $int::BITS;
            $(
                #[inline]
                fn $method(self $(, $arg: $ty)*) -> $ret {
                    $int::$method(self $(, $arg)*)
                }
            )+
        }
    };
}

int! {
    pow(n: u32) -> Self; wrapping_pow(n: u32) -> Self; saturating_pow(n: u32) -> Self;
    overflowing_pow(n: u32) -> (Self, bool); checked_pow(n: u32) -> Option<Self>;
    count_ones() -> u32; count_zeros() -> u32; leading_zeros() -> u32; trailing_zeros() -> u32;
    leading_ones() -> u32; trailing_ones() -> u32;
    rotate_left(n: u32) -> Self; rotate_right(n: u32) -> Self;
    swap_bytes() -> Self; reverse_bits() -> Self; to_be() -> Self; to_le() -> Self;
    wrapping_add(other: Self) -> Self; wrapping_sub(other: Self) -> Self; wrapping_mul(other: Self) -> Self;
    wrapping_neg() -> Self; wrapping_div(other: Self) -> Self; wrapping_rem(other: Self) -> Self;
    wrapping_div_euclid(other: Self) -> Self; wrapping_rem_euclid(other: Self) -> Self;
    wrapping_shl(n: u32) -> Self; wrapping_shr(n: u32) -> Self;
    saturating_add(other: Self) -> Self; saturating_sub(other: Self) -> Self;
    saturating_mul(other: Self) -> Self; saturating_div(other: Self) -> Self;
    overflowing_add(other: Self) -> (Self, bool); overflowing_sub(other: Self) -> (Self, bool);
    overflowing_mul(other: Self) -> (Self, bool); overflowing_div(other: Self) -> (Self, bool);
    overflowing_rem(other: Self) -> (Self, bool); overflowing_neg() -> (Self, bool);
    overflowing_shl(n: u32) -> (Self, bool); overflowing_shr(n: u32) -> (Self, bool);
    checked_add(other: Self) -> Option<Self>; checked_sub(other: Self) -> Option<Self>;
    checked_mul(other: Self) -> Option<Self>; checked_div(other: Self) -> Option<Self>;
    checked_rem(other: Self) -> Option<Self>; checked_neg() -> Option<Self>;
    checked_div_euclid(other: Self) -> Option<Self>; checked_rem_euclid(other: Self) -> Option<Self>;
    checked_shl(n: u32) -> Option<Self>; checked_shr(n: u32) -> Option<Self>;
    checked_ilog2() -> Option<u32>; checked_ilog10() -> Option<u32>;
    unbounded_shl(n: u32) -> Self; unbounded_shr(n: u32) -> Self;
    midpoint(other: Self) -> Self; isqrt() -> Self; abs_diff(other: Self) -> <Self as Unsigned>::Unsigned;
    rem_euclid(other: Self) -> Self; div_euclid(other: Self) -> Self;
    ilog2() -> u32; ilog10() -> u32; ilog(base: Self) -> u32;
}
