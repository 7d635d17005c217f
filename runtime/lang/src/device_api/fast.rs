//! Fast, less accurate `f32` functions, by explicit names: CUDA's `__sinf` and its like.
//!
//! On a GPU they are a few instructions each. The simulator computes the accurate value; the bounds
//! stated with each are NVIDIA's, for a GPU. Use them where the arguments are known to be small.

use super::text::{PAIR, fixed, with};
use crate::ir::{Cost, Facts, Prelude};

static FAST_SINCOS: Prelude = Prelude {
    name: "ws_fast_sincos",
    code: "__device__ __forceinline__ ws_Pair<float, float> ws_fast_sincos(float x) {
    ws_Pair<float, float> both;
    __sincosf(x, &both._0, &both._1);
    return both;
}
",
    needs: &[&PAIR],
};

static FAST_EXP2: Prelude = Prelude {
    name: "ws_fast_exp2",
    code: "__device__ __forceinline__ float ws_fast_exp2(float x) {
    float y;
    asm(\"ex2.approx.ftz.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x));
    return y;
}
",
    needs: &[],
};

builtin! {
    /// `sin(x)`: for `x` in `[-π, π]` an absolute error up to 2^-21.41, larger elsewhere.
    ///
    /// Source: CUDA Math API, `__sinf`.
    pub fn fast_sin(x: f32) -> f32 { cuda: fixed("__sinf({0})") } {
        f64::from(x).sin() as f32
    }

    /// `cos(x)`: for `x` in `[-π, π]` an absolute error up to 2^-21.19, larger elsewhere.
    ///
    /// Source: CUDA Math API, `__cosf`.
    pub fn fast_cos(x: f32) -> f32 { cuda: fixed("__cosf({0})") } {
        f64::from(x).cos() as f32
    }

    /// `(sin(x), cos(x))`, as [`fast_sin`] and [`fast_cos`] give them.
    ///
    /// Source: CUDA Math API, `__sincosf`.
    pub fn fast_sincos(x: f32) -> (f32, f32) { cuda: with("ws_fast_sincos({0})", &FAST_SINCOS) } {
        (fast_sin(x), fast_cos(x))
    }

    /// `tan(x)` as `fast_sin(x) / fast_cos(x)`; the error has no bound near the poles.
    ///
    /// Source: CUDA Math API, `__tanf`.
    pub fn fast_tan(x: f32) -> f32 { cuda: fixed("__tanf({0})") } {
        f64::from(x).tan() as f32
    }

    /// `e^x`, up to `2 + floor(|1.173·x|)` ulp.
    ///
    /// Source: CUDA Math API, `__expf`.
    pub fn fast_exp(x: f32) -> f32 { cuda: fixed("__expf({0})") } {
        f64::from(x).exp() as f32
    }

    /// `2^x`, up to 2 ulp; results below 2^-126 are zero, and arguments as small count as zero. One instruction.
    ///
    /// Source: PTX ISA, `ex2.approx.ftz.f32`.
    pub fn fast_exp2(x: f32) -> f32 { cuda: with("ws_fast_exp2({0})", &FAST_EXP2) } {
        let power = f64::from(x).exp2() as f32;
        if power < f32::MIN_POSITIVE { 0.0 } else { power }
    }

    /// `10^x`, up to `2 + floor(|2.97·x|)` ulp.
    ///
    /// Source: CUDA Math API, `__exp10f`.
    pub fn fast_exp10(x: f32) -> f32 { cuda: fixed("__exp10f({0})") } {
        10f64.powf(x.into()) as f32
    }

    /// The natural logarithm: for `x` in `[0.5, 2]` an absolute error up to 2^-21.41, elsewhere up to 3 ulp.
    ///
    /// Source: CUDA Math API, `__logf`.
    pub fn fast_log(x: f32) -> f32 { cuda: fixed("__logf({0})") } {
        f64::from(x).ln() as f32
    }

    /// The logarithm to base 2: for `x` in `[0.5, 2]` an absolute error up to 2^-22, elsewhere up to 2 ulp.
    ///
    /// Source: CUDA Math API, `__log2f`.
    pub fn fast_log2(x: f32) -> f32 { cuda: fixed("__log2f({0})") } {
        f64::from(x).log2() as f32
    }

    /// The logarithm to base 10: for `x` in `[0.5, 2]` an absolute error up to 2^-24, elsewhere up to 3 ulp.
    ///
    /// Source: CUDA Math API, `__log10f`.
    pub fn fast_log10(x: f32) -> f32 { cuda: fixed("__log10f({0})") } {
        f64::from(x).log10() as f32
    }

    /// `x^y` as `exp2(y · fast_log2(x))`: NaN for negative `x`, whatever `y` is.
    ///
    /// Source: CUDA Math API, `__powf`.
    pub fn fast_pow(x: f32, y: f32) -> f32 { cuda: fixed("__powf({0}, {1})") } {
        (f64::from(y) * f64::from(x).log2()).exp2() as f32
    }

    /// `x / y`, up to 2 ulp for `|y|` from 2^-126 to 2^126.
    ///
    /// Zero for `|y|` above 2^126, and NaN there if `x` is infinite.
    ///
    /// Source: CUDA Math API, `__fdividef`.
    pub fn fast_div(x: f32, y: f32) -> f32 { cuda: fixed("__fdividef({0}, {1})") } {
        if y.abs() > 2f32.powi(126) { x * 0f32.copysign(y) } else { x / y }
    }

    /// `x` clamped to `[0, 1]`; NaN gives 0. Exact; the sign of a zero is open.
    ///
    /// Source: CUDA Math API, `__saturatef`.
    pub fn saturate(x: f32) -> f32 { cuda: fixed("__saturatef({0})"), facts: Facts::costs(Cost::Adds) } {
        if x > 0.0 { x.min(1.0) } else { 0.0 }
    }
}
