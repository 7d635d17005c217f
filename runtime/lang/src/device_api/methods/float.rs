//! Methods of `f32` and `f64`.
//!
//! Accuracy is CUDA's: correctly rounded for arithmetic, `sqrt`, `mul_add` and rounding to an
//! integer; a few units in the last place for the transcendental functions.

use warpsmith_macros::device_methods;

use super::half::{of_half, widened};
use super::{float_prelude, prelude};
#[cfg(feature = "simulator")]
use crate::device_api::number::Float as _;
use crate::device_api::text;
use crate::ir::{Cost, CudaText, Facts, Prelude, Scalar, Type};
use crate::types::IndexInteger;
use crate::types::operators::CastMarker;
use crate::witness::{FnProbe, never_called};

/// A function of CUDA's math library; of halves, that of `f32`.
fn math(name: &'static str) -> impl Fn(&[Type], &Type) -> CudaText {
    widened(text::math(name))
}

/// One text for `f32` and halves, and one for `f64`.
fn either(f32_text: &'static str, f64_text: &'static str) -> impl Fn(&[Type], &Type) -> CudaText {
    widened(text::either(f32_text, f64_text))
}

/// A function of the prelude; of halves, that of `f32`.
fn with(template: &'static str, prelude: &'static Prelude) -> impl Fn(&[Type], &Type) -> CudaText {
    widened(text::with(template, prelude))
}

/// `f32::from_bits` and `f64::from_bits`: the argument is the integer, so the result tells them apart.
fn from_bits(_args: &[Type], ret: &Type) -> CudaText {
    CudaText::new(match ret.scalar() {
        Some(Scalar::F64) => "__longlong_as_double((long long)({0}))",
        _ => "__int_as_float((int)({0}))",
    })
}

/// The integer of a float's size.
pub trait FloatBits {
    /// `u16`, `u32` or `u64`.
    type Bits: crate::device_api::number::Int;
}

impl FloatBits for f32 {
    type Bits = u32;
}

impl FloatBits for f64 {
    type Bits = u64;
}

impl FloatBits for crate::half::f16 {
    type Bits = u16;
}

impl FloatBits for crate::half::bf16 {
    type Bits = u16;
}

/// `x.to_int_unchecked::<I>()`: of every value for which Rust defines it, what `x as I` gives.
pub trait UncheckedMethods {
    #[doc(hidden)]
    unsafe fn to_int_unchecked_in_kernels<I: IndexInteger>(self, _probe: &FnProbe<CastMarker>) -> I
    where
        Self: Sized,
    {
        never_called()
    }
}

impl UncheckedMethods for f32 {}
impl UncheckedMethods for f64 {}

device_methods! {
    /// Methods of floats that kernels may call.
    pub trait FloatMethods: FloatBits in float for f32, f64, crate::half::f16, crate::half::bf16 {
        fn sqrt(self) -> Self = math("sqrt");
        fn cbrt(self) -> Self = math("cbrt");
        fn mul_add(self, a: Self, b: Self) -> Self = of_half("ws_fma({0}, {1}, {2})", math("fma")), Facts::costs(Cost::Fuses);
        fn exp(self) -> Self = math("exp");
        fn exp2(self) -> Self = math("exp2");
        fn exp_m1(self) -> Self = math("expm1");
        fn ln(self) -> Self = math("log");
        fn log(self, base: Self) -> Self = either("(logf({0}) / logf({1}))", "(log({0}) / log({1}))");
        fn log2(self) -> Self = math("log2");
        fn log10(self) -> Self = math("log10");
        fn ln_1p(self) -> Self = math("log1p");
        fn sin(self) -> Self = math("sin");
        fn cos(self) -> Self = math("cos");
        fn sin_cos(self) -> (Self, Self) = with("ws_sin_cos({0})", &float_prelude::SIN_COS);
        fn tan(self) -> Self = math("tan");
        fn asin(self) -> Self = math("asin");
        fn acos(self) -> Self = math("acos");
        fn atan(self) -> Self = math("atan");
        fn atan2(self, other: Self) -> Self = math("atan2");
        fn sinh(self) -> Self = math("sinh");
        fn cosh(self) -> Self = math("cosh");
        fn tanh(self) -> Self = math("tanh");
        fn asinh(self) -> Self = math("asinh");
        fn acosh(self) -> Self = math("acosh");
        fn atanh(self) -> Self = math("atanh");
        fn hypot(self, other: Self) -> Self = math("hypot");
        fn powf(self, n: Self) -> Self = math("pow");
        fn powi(self, n: i32) -> Self = with("ws_powi({0}, {1})", &prelude::POWI);
        fn abs(self) -> Self = of_half("{own}{ (unsigned short)({bits} & 0x7fff) }", math("fabs")), Facts::costs(Cost::Adds);
        fn floor(self) -> Self = math("floor");
        fn ceil(self) -> Self = math("ceil");
        fn round(self) -> Self = math("round");
        fn round_ties_even(self) -> Self = math("rint");
        fn trunc(self) -> Self = math("trunc");
        fn fract(self) -> Self = with("ws_fract({0})", &prelude::FRACT);
        fn div_euclid(self, other: Self) -> Self = with("ws_float_div_euclid({0}, {1})", &float_prelude::DIV_EUCLID);
        fn rem_euclid(self, other: Self) -> Self = with("ws_float_rem_euclid({0}, {1})", &float_prelude::REM_EUCLID);
        fn midpoint(self, other: Self) -> Self = with("ws_float_midpoint({0}, {1})", &float_prelude::MIDPOINT);
        fn next_up(self) -> Self = of_half("{own}{ ws_half_next_up({bits}, {infinity}) }", with("ws_next_up({0})", &float_prelude::NEXT_UP));
        fn next_down(self) -> Self = of_half("-{own}{ ws_half_next_up((unsigned short)({bits} ^ 0x8000), {infinity}) }", with("(-ws_next_up(-({0})))", &float_prelude::NEXT_UP));
        fn min(self, other: Self) -> Self = math("fmin"), Facts::costs(Cost::Adds);
        fn max(self, other: Self) -> Self = math("fmax"), Facts::costs(Cost::Adds);
        fn clamp(self, low: Self, high: Self) -> Self = with("ws_clamp({0}, {1}, {2})", &prelude::CLAMP), Facts::costs(Cost::Adds);
        fn signum(self) -> Self = with("ws_signum({0})", &prelude::SIGNUM);
        fn copysign(self, sign: Self) -> Self = math("copysign"), Facts::costs(Cost::Adds);
        fn recip(self) -> Self = either("(1.0f / ({0}))", "(1.0 / ({0}))");
        fn to_degrees(self) -> Self = either("(({0}) * 57.2957795130823208767981548141051703f)", "(({0}) * (180.0 / 3.14159265358979323846264338327950288))"), Facts::costs(Cost::Multiplies);
        fn to_radians(self) -> Self = either("(({0}) * 0.017453292519943295769236907684886f)", "(({0}) * (3.14159265358979323846264338327950288 / 180.0))"), Facts::costs(Cost::Multiplies);
        fn is_nan(self) -> bool = with("ws_is_nan({0})", &prelude::IS_NAN);
        fn is_infinite(self) -> bool = either("(fabsf({0}) == __int_as_float(0x7f800000))", "(fabs({0}) == __longlong_as_double(0x7ff0000000000000ll))");
        fn is_finite(self) -> bool = either("(fabsf({0}) < __int_as_float(0x7f800000))", "(fabs({0}) < __longlong_as_double(0x7ff0000000000000ll))");
        fn is_normal(self) -> bool = of_half("ws_half_is_normal({bits}, {least}, {infinity})", with("ws_is_normal({0})", &float_prelude::IS_NORMAL));
        fn is_subnormal(self) -> bool = of_half("ws_half_is_subnormal({bits}, {least})", with("ws_is_subnormal({0})", &float_prelude::IS_SUBNORMAL));
        fn is_sign_negative(self) -> bool = either("(__float_as_int({0}) < 0)", "(__double_as_longlong({0}) < 0)");
        fn is_sign_positive(self) -> bool = either("(__float_as_int({0}) >= 0)", "(__double_as_longlong({0}) >= 0)");
        fn to_bits(self) -> <Self as FloatBits>::Bits = of_half("{bits}", either("__float_as_uint({0})", "((unsigned long long)__double_as_longlong({0}))"));
        fn from_bits(bits: <Self as FloatBits>::Bits) -> Self = of_half("{own}{ {0} }", from_bits), Facts::MOVES;
    }
}
