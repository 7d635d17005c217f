//! Methods of the integers. Arithmetic that can overflow does what the Rust method of that name does.

use warpsmith_macros::device_methods;

use super::super::text::{fixed, scalar, unsigned_name, with};
use super::{int_prelude, prelude};
use crate::codegen::{SHORT, scalar_name};
use crate::ir::{CudaText, Facts, Prelude, ResultRange, Scalar, Type};

/// A helper that takes the width in bits as a template argument and the value as unsigned.
fn bits(helper: &'static str) -> impl Fn(&[Type], &Type) -> CudaText {
    move |args, _| {
        let s = scalar(args);
        CudaText::with(format!("{helper}(({})({{0}}))", unsigned_name(s)), &prelude::BITS)
    }
}

/// A count of leading or trailing ones, of the value as unsigned.
fn ones(helper: &'static str) -> impl Fn(&[Type], &Type) -> CudaText {
    move |args, ret| CudaText { prelude: vec![&int_prelude::ONES], ..bits(helper)(args, ret) }
}

/// The same bits as the result type.
fn reinterpret(_args: &[Type], ret: &Type) -> CudaText {
    CudaText::new(format!("(({})({{0}}))", scalar_name(ret.scalar().unwrap_or(Scalar::I32))))
}

/// `a op b` in the unsigned type of the width, cast back.
fn wrapping(op: &'static str) -> impl Fn(&[Type], &Type) -> CudaText {
    move |args, _| {
        let s = scalar(args);
        let (own, wide) = (scalar_name(s), wide_unsigned(s));
        if s.bits() >= 32 && !s.is_signed() {
            // A negative constant that is converted silently is a warning of NVRTC.
            let is_signed = args.get(1).and_then(Type::scalar).is_some_and(Scalar::is_signed);
            let right = if is_signed { format!("({wide})({{1}})") } else { "({1})".to_owned() };
            return CudaText::new(format!("(({{0}}) {op} {right})"));
        }
        match (s, op) {
            (Scalar::I16, "-" | "*") => short(format!("({wide})({{0}}) {op} ({wide})({{1}})")),
            _ => CudaText::new(format!("(({own})(({wide})({{0}}) {op} ({wide})({{1}})))")),
        }
    }
}

/// The low half of a number of 32 bits.
fn short(wide: String) -> CudaText {
    CudaText { prelude: vec![&SHORT], ..CudaText::new(format!("ws_short({wide})")) }
}

/// The unsigned type of the arithmetic: at least 32 bits, because C++ promotes shorter types to `int`.
fn wide_unsigned(s: Scalar) -> &'static str {
    if s.bits() == 64 { "unsigned long long" } else { "unsigned int" }
}

fn wrapping_neg(args: &[Type], _ret: &Type) -> CudaText {
    match scalar(args) {
        Scalar::I16 => short("0u - (unsigned int)({0})".to_owned()),
        s => CudaText::new(format!("(({})(0u - ({})({{0}})))", scalar_name(s), wide_unsigned(s))),
    }
}

fn wrapping_shift(op: &'static str) -> impl Fn(&[Type], &Type) -> CudaText {
    move |args, _| {
        let s = scalar(args);
        let own = scalar_name(s);
        // A left shift is done unsigned, a right shift in the type itself: arithmetic if signed.
        let through = if op == "<<" { wide_unsigned(s) } else { own };
        CudaText::new(format!("(({own})(({through})({{0}}) {op} (({{1}}) & {}u)))", s.bits() - 1))
    }
}

/// An `Option` of a value that comes with whether it overflowed.
fn checked(pair: &'static str, prelude: &'static Prelude) -> impl Fn(&[Type], &Type) -> CudaText {
    move |_, _| CudaText {
        prelude: vec![&int_prelude::CHECKED, prelude],
        ..CudaText::new(format!("ws_checked<{{ret}}>({pair})"))
    }
}

/// The unsigned integer of the same width.
pub trait Unsigned {
    /// `u32` for `i32`.
    type Unsigned: crate::device_api::number::Int;
}

macro_rules! unsigned {
    ($($t:ty => $u:ty),+) => {$(
        impl Unsigned for $t {
            type Unsigned = $u;
        }
    )+};
}

unsigned! { i8 => u8, i16 => u16, i32 => u32, i64 => u64, isize => usize, u8 => u8, u16 => u16, u32 => u32, u64 => u64, usize => usize }

/// The signed integer of the same width.
pub trait Signed {
    /// `i32` for `u32`.
    type Signed: crate::device_api::number::Int;
}

macro_rules! signed {
    ($($t:ty => $i:ty),+) => {$(
        impl Signed for $t {
            type Signed = $i;
        }
    )+};
}

signed! { u8 => i8, u16 => i16, u32 => i32, u64 => i64, usize => isize }

device_methods! {
    /// Methods of every integer type that kernels may call.
    pub trait IntMethods: Unsigned in int for i8, i16, i32, i64, isize, u8, u16, u32, u64, usize {
        fn pow(self, n: u32) -> Self = with("ws_pow({0}, {1})", &prelude::POW);
        fn wrapping_pow(self, n: u32) -> Self = with("ws_pow({0}, {1})", &prelude::POW);
        fn count_ones(self) -> u32 = bits("ws_count_ones"), Facts::within(ResultRange::UpToBits);
        fn count_zeros(self) -> u32 = bits("ws_count_zeros"), Facts::within(ResultRange::UpToBits);
        fn leading_zeros(self) -> u32 = bits("ws_leading_zeros"), Facts::within(ResultRange::Zeros);
        fn trailing_zeros(self) -> u32 = bits("ws_trailing_zeros"), Facts::within(ResultRange::Zeros);
        fn leading_ones(self) -> u32 = ones("ws_leading_ones"), Facts::within(ResultRange::UpToBits);
        fn trailing_ones(self) -> u32 = ones("ws_trailing_ones"), Facts::within(ResultRange::UpToBits);
        fn rotate_left(self, n: u32) -> Self = with("ws_rotate_left({0}, {1})", &prelude::ROTATE_LEFT);
        fn rotate_right(self, n: u32) -> Self = with("ws_rotate_right({0}, {1})", &prelude::ROTATE_RIGHT);
        fn swap_bytes(self) -> Self = with("ws_swap_bytes({0})", &prelude::SWAP_BYTES);
        fn reverse_bits(self) -> Self = with("ws_reverse_bits({0})", &prelude::REVERSE_BITS);
        fn wrapping_add(self, other: Self) -> Self = wrapping("+");
        fn wrapping_sub(self, other: Self) -> Self = wrapping("-");
        fn wrapping_mul(self, other: Self) -> Self = wrapping("*");
        fn wrapping_neg(self) -> Self = wrapping_neg;
        fn wrapping_div(self, other: Self) -> Self = with("ws_wrapping_div({0}, {1})", &int_prelude::WRAPPING_DIV);
        fn wrapping_rem(self, other: Self) -> Self = with("ws_wrapping_rem({0}, {1})", &int_prelude::WRAPPING_REM);
        fn wrapping_div_euclid(self, other: Self) -> Self = with("ws_wrapping_div_euclid({0}, {1})", &int_prelude::WRAPPING_EUCLID);
        fn wrapping_rem_euclid(self, other: Self) -> Self = with("ws_wrapping_rem_euclid({0}, {1})", &int_prelude::WRAPPING_EUCLID), Facts::within(ResultRange::Modulo);
        fn wrapping_shl(self, n: u32) -> Self = wrapping_shift("<<");
        fn wrapping_shr(self, n: u32) -> Self = wrapping_shift(">>"), Facts::within(ResultRange::UpToFirst);
        fn saturating_add(self, other: Self) -> Self = with("ws_saturating_add({0}, {1})", &prelude::SATURATING_ADD);
        fn saturating_sub(self, other: Self) -> Self = with("ws_saturating_sub({0}, {1})", &prelude::SATURATING_SUB), Facts::within(ResultRange::Remaining);
        fn saturating_mul(self, other: Self) -> Self = with("ws_saturating_mul({0}, {1})", &int_prelude::SATURATING_MUL);
        fn saturating_div(self, other: Self) -> Self = with("ws_saturating_div({0}, {1})", &int_prelude::SATURATING_DIV);
        fn saturating_pow(self, n: u32) -> Self = with("ws_saturating_pow({0}, {1})", &int_prelude::SATURATING_POW);
        fn overflowing_add(self, other: Self) -> (Self, bool) = with("ws_overflowing_add({0}, {1})", &int_prelude::OVERFLOWING_ADD);
        fn overflowing_sub(self, other: Self) -> (Self, bool) = with("ws_overflowing_sub({0}, {1})", &int_prelude::OVERFLOWING_SUB);
        fn overflowing_mul(self, other: Self) -> (Self, bool) = with("ws_overflowing_mul({0}, {1})", &int_prelude::OVERFLOWING_MUL);
        fn overflowing_div(self, other: Self) -> (Self, bool) = with("ws_overflowing_div({0}, {1})", &int_prelude::OVERFLOWING_DIV);
        fn overflowing_rem(self, other: Self) -> (Self, bool) = with("ws_overflowing_rem({0}, {1})", &int_prelude::OVERFLOWING_DIV);
        fn overflowing_neg(self) -> (Self, bool) = with("ws_overflowing_neg({0})", &int_prelude::OVERFLOWING_NEG);
        fn overflowing_pow(self, n: u32) -> (Self, bool) = with("ws_overflowing_pow({0}, {1})", &int_prelude::OVERFLOWING_POW);
        fn checked_add(self, other: Self) -> Option<Self> = checked("ws_overflowing_add({0}, {1})", &int_prelude::OVERFLOWING_ADD);
        fn checked_sub(self, other: Self) -> Option<Self> = checked("ws_overflowing_sub({0}, {1})", &int_prelude::OVERFLOWING_SUB), Facts::within(ResultRange::CheckedDifference);
        fn checked_mul(self, other: Self) -> Option<Self> = checked("ws_overflowing_mul({0}, {1})", &int_prelude::OVERFLOWING_MUL);
        fn checked_neg(self) -> Option<Self> = checked("ws_overflowing_neg({0})", &int_prelude::OVERFLOWING_NEG);
        fn checked_pow(self, n: u32) -> Option<Self> = checked("ws_overflowing_pow({0}, {1})", &int_prelude::OVERFLOWING_POW);
        fn checked_div(self, other: Self) -> Option<Self> = checked("ws_checked_div({0}, {1})", &int_prelude::CHECKED_DIV);
        fn checked_rem(self, other: Self) -> Option<Self> = checked("ws_checked_rem({0}, {1})", &int_prelude::CHECKED_DIV);
        fn checked_div_euclid(self, other: Self) -> Option<Self> = checked("ws_checked_div_euclid({0}, {1})", &int_prelude::CHECKED_EUCLID);
        fn checked_rem_euclid(self, other: Self) -> Option<Self> = checked("ws_checked_rem_euclid({0}, {1})", &int_prelude::CHECKED_EUCLID);
        fn checked_shl(self, n: u32) -> Option<Self> = checked("ws_checked_shl({0}, {1})", &int_prelude::CHECKED_SHIFT);
        fn checked_shr(self, n: u32) -> Option<Self> = checked("ws_checked_shr({0}, {1})", &int_prelude::CHECKED_SHIFT);
        fn checked_ilog2(self) -> Option<u32> = checked("ws_checked_ilog({0}, 2)", &int_prelude::CHECKED_ILOG);
        fn checked_ilog10(self) -> Option<u32> = checked("ws_checked_ilog({0}, 10)", &int_prelude::CHECKED_ILOG);
        fn overflowing_shl(self, n: u32) -> (Self, bool) = with("ws_overflowing_shl({0}, {1})", &int_prelude::OVERFLOWING_SHIFT);
        fn overflowing_shr(self, n: u32) -> (Self, bool) = with("ws_overflowing_shr({0}, {1})", &int_prelude::OVERFLOWING_SHIFT);
        fn unbounded_shl(self, n: u32) -> Self = with("ws_unbounded_shl({0}, {1})", &int_prelude::UNBOUNDED_SHL);
        fn unbounded_shr(self, n: u32) -> Self = with("ws_unbounded_shr({0}, {1})", &int_prelude::UNBOUNDED_SHR), Facts::within(ResultRange::UpToFirst);
        fn midpoint(self, other: Self) -> Self = with("ws_midpoint({0}, {1})", &int_prelude::MIDPOINT), Facts::within(ResultRange::Middle);
        fn isqrt(self) -> Self = with("ws_isqrt({0})", &int_prelude::ISQRT), Facts::within(ResultRange::UpToFirst);
        fn to_be(self) -> Self = with("ws_swap_bytes({0})", &prelude::SWAP_BYTES);
        fn to_le(self) -> Self = fixed("({0})");
        fn abs_diff(self, other: Self) -> <Self as Unsigned>::Unsigned = with("ws_abs_diff({0}, {1})", &prelude::ABS_DIFF);
        fn rem_euclid(self, other: Self) -> Self = with("ws_rem_euclid({0}, {1})", &prelude::REM_EUCLID), Facts::within(ResultRange::Modulo);
        fn div_euclid(self, other: Self) -> Self = with("ws_div_euclid({0}, {1})", &prelude::DIV_EUCLID);
        fn ilog2(self) -> u32 = with("ws_ilog2({0})", &prelude::ILOG2), Facts::within(ResultRange::BelowBits);
        fn ilog10(self) -> u32 = with("ws_ilog({0}, 10)", &int_prelude::ILOG), Facts::within(ResultRange::BelowBits);
        fn ilog(self, base: Self) -> u32 = with("ws_ilog({0}, {1})", &int_prelude::ILOG);
    }
}

device_methods! {
    /// Methods of integers that all ordered types have.
    pub trait IntOrder: Unsigned in int_order for i8, i16, i32, i64, isize, u8, u16, u32, u64, usize {
        fn min(self, other: Self) -> Self = with("ws_min({0}, {1})", &prelude::MIN), Facts::within(ResultRange::Least);
        fn max(self, other: Self) -> Self = with("ws_max({0}, {1})", &prelude::MAX), Facts::within(ResultRange::Greatest);
        fn clamp(self, low: Self, high: Self) -> Self = with("ws_clamp({0}, {1}, {2})", &prelude::CLAMP), Facts::within(ResultRange::Clamped);
    }
}

device_methods! {
    /// Methods of the signed integers that kernels may call.
    pub trait SignedMethods: Unsigned in signed for i8, i16, i32, i64, isize {
        fn abs(self) -> Self = with("ws_wrapping_abs({0})", &prelude::WRAPPING_ABS);
        fn wrapping_abs(self) -> Self = with("ws_wrapping_abs({0})", &prelude::WRAPPING_ABS);
        fn unsigned_abs(self) -> <Self as Unsigned>::Unsigned = with("ws_unsigned_abs({0})", &prelude::UNSIGNED_ABS);
        fn signum(self) -> Self = with("ws_int_signum({0})", &prelude::INT_SIGNUM);
        fn saturating_abs(self) -> Self = with("ws_saturating_abs({0})", &int_prelude::SATURATING_ABS);
        fn saturating_neg(self) -> Self = with("ws_saturating_neg({0})", &int_prelude::SATURATING_NEG);
        fn cast_unsigned(self) -> <Self as Unsigned>::Unsigned = reinterpret;
        fn wrapping_add_unsigned(self, other: <Self as Unsigned>::Unsigned) -> Self = wrapping("+");
        fn wrapping_sub_unsigned(self, other: <Self as Unsigned>::Unsigned) -> Self = wrapping("-");
        fn checked_abs(self) -> Option<Self> = checked("ws_overflowing_abs({0})", &int_prelude::OVERFLOWING_ABS);
        fn overflowing_abs(self) -> (Self, bool) = with("ws_overflowing_abs({0})", &int_prelude::OVERFLOWING_ABS);
        fn checked_add_unsigned(self, other: <Self as Unsigned>::Unsigned) -> Option<Self> = checked("ws_add_unsigned({0}, {1})", &int_prelude::ADD_OTHER);
        fn checked_sub_unsigned(self, other: <Self as Unsigned>::Unsigned) -> Option<Self> = checked("ws_sub_unsigned({0}, {1})", &int_prelude::ADD_OTHER);
        fn saturating_add_unsigned(self, other: <Self as Unsigned>::Unsigned) -> Self = with("ws_saturated(ws_add_unsigned({0}, {1}), true)", &int_prelude::SATURATED);
        fn saturating_sub_unsigned(self, other: <Self as Unsigned>::Unsigned) -> Self = with("ws_saturated(ws_sub_unsigned({0}, {1}), false)", &int_prelude::SATURATED);
        fn is_negative(self) -> bool = with("ws_is_negative({0})", &prelude::IS_NEGATIVE);
        fn is_positive(self) -> bool = with("ws_is_positive({0})", &prelude::IS_POSITIVE);
    }
}

device_methods! {
    /// Methods of the unsigned integers that kernels may call.
    pub trait UnsignedMethods: Signed in unsigned for u8, u16, u32, u64, usize {
        fn is_power_of_two(self) -> bool = with("ws_is_power_of_two({0})", &prelude::IS_POWER_OF_TWO);
        fn next_power_of_two(self) -> Self = with("ws_next_power_of_two({0})", &prelude::NEXT_POWER_OF_TWO);
        fn cast_signed(self) -> <Self as Signed>::Signed = reinterpret;
        fn wrapping_add_signed(self, other: <Self as Signed>::Signed) -> Self = wrapping("+");
        fn checked_add_signed(self, other: <Self as Signed>::Signed) -> Option<Self> = checked("ws_add_signed({0}, {1})", &int_prelude::ADD_OTHER);
        fn overflowing_add_signed(self, other: <Self as Signed>::Signed) -> (Self, bool) = with("ws_add_signed({0}, {1})", &int_prelude::ADD_OTHER);
        fn checked_next_power_of_two(self) -> Option<Self> = checked("ws_checked_next_power_of_two({0})", &int_prelude::CHECKED_NEXT);
        fn checked_next_multiple_of(self, other: Self) -> Option<Self> = checked("ws_checked_next_multiple_of({0}, {1})", &int_prelude::CHECKED_NEXT);
        fn carrying_add(self, other: Self, carry: bool) -> (Self, bool) = with("ws_carrying_add({0}, {1}, {2})", &int_prelude::CARRYING);
        fn borrowing_sub(self, other: Self, borrow: bool) -> (Self, bool) = with("ws_borrowing_sub({0}, {1}, {2})", &int_prelude::CARRYING);
        fn carrying_mul(self, other: Self, carry: Self) -> (Self, Self) = with("ws_carrying_mul({0}, {1}, {2})", &int_prelude::CARRYING);
        fn saturating_add_signed(self, other: <Self as Signed>::Signed) -> Self = with("ws_saturating_add_signed({0}, {1})", &int_prelude::SATURATING_ADD_SIGNED);
        fn div_ceil(self, other: Self) -> Self = with("ws_div_ceil({0}, {1})", &prelude::DIV_CEIL), Facts::within(ResultRange::QuotientUp);
        fn next_multiple_of(self, other: Self) -> Self = with("ws_next_multiple_of({0}, {1})", &prelude::NEXT_MULTIPLE_OF);
        fn is_multiple_of(self, other: Self) -> bool = with("ws_is_multiple_of({0}, {1})", &prelude::IS_MULTIPLE_OF);
    }
}
