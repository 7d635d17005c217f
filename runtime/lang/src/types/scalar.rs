//! Scalars, and the numeric traits that generic device code bounds its types with.

use core::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Neg, Not, Shl, Shr};

use super::{Constant, DeviceType, GpuType, Num, operators};
use crate::ir::{ConstValue, Expr, Scalar, Spelling, Type};

/// An integer type.
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
    + crate::device_api::methods::IntMethods
{
}

/// Declares [`Float`] with std's methods, so that generic device code can call them.
macro_rules! float {
    ($($method:ident($($arg:ident: $ty:ty),*);)+ => $($other:ident($($by:ident: $of:ty),*) -> $ret:ty;)+) => {
        /// `f16`, `bf16`, `f32` or `f64`, with the methods that `f64` has in Rust's library.
        pub trait Float: Num + Neg<Output = Self> + operators::Neg + crate::device_api::methods::FloatMethods {
            $(
                #[doc = concat!("As `f64::", stringify!($method), "`.")]
                fn $method(self $(, $arg: $ty)*) -> Self;
            )+
            $(
                #[doc = concat!("As `f64::", stringify!($other), "`.")]
                fn $other(self $(, $by: $of)*) -> $ret;
            )+
        }

        float! { impl f32: $($method($($arg: $ty),*) -> Self;)+ $($other($($by: $of),*) -> $ret;)+ }
        float! { impl f64: $($method($($arg: $ty),*) -> Self;)+ $($other($($by: $of),*) -> $ret;)+ }
        super::half_float::halves! { $($method($($arg: $ty),*);)+ }
    };
    (impl $float:ident: $($method:ident($($arg:ident: $ty:ty),*) -> $ret:ty;)+) => {
        impl Float for $float {
            $(
                #[inline]
                fn $method(self $(, $arg: $ty)*) -> $ret {
                    $float::$method(self $(, $arg)*)
                }
            )+
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
    is_sign_negative() -> bool; is_sign_positive() -> bool;
}

macro_rules! scalars {
    ($($t:ty, $scalar:ident, |$v:ident| $value:expr $(, $from:item)?;)+) => {$(
        impl DeviceType for $t {
            type Erased = Self;
            fn ty() -> Type {
                Type::Scalar(Scalar::$scalar)
            }
            $($from)?
        }

        // SAFETY: a scalar is its own layout; the device stores only 0 and 1 in a `bool`.
        unsafe impl GpuType for $t {}

        impl Constant for $t {
            fn to_expr(&self, name: Option<&'static str>) -> Expr {
                let $v = *self;
                Expr::constant($value, <$t>::ty()).spelled(name.map_or(Spelling::Value, Spelling::Name))
            }
        }
    )+};
}

scalars! {
    bool, Bool, |v| ConstValue::Bool(v), unsafe fn from_ir(at: *const u8) -> Self {
        // SAFETY: one byte. What is no `bool` is taken for `true`, as the device takes it.
        unsafe { at.read() != 0 }
    };
    i8, I8, |v| ConstValue::Int(v.into());
    i16, I16, |v| ConstValue::Int(v.into());
    i32, I32, |v| ConstValue::Int(v.into());
    i64, I64, |v| ConstValue::Int(v.into());
    isize, I64, |v| ConstValue::Int(v as i128);
    u8, U8, |v| ConstValue::Int(v.into());
    u16, U16, |v| ConstValue::Int(v.into());
    u32, U32, |v| ConstValue::Int(v.into());
    u64, U64, |v| ConstValue::Int(v.into());
    usize, U64, |v| ConstValue::Int(v as i128);
    half::f16, F16, |v| ConstValue::F32(v.to_f32());
    half::bf16, BF16, |v| ConstValue::F32(v.to_f32());
    f32, F32, |v| ConstValue::F32(v);
    f64, F64, |v| ConstValue::F64(v);
}

macro_rules! integers {
    ($($t:ty)+) => {$(
        impl Int for $t {}
    )+};
}

integers! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize }
