//! Roots, norms, powers, functions of π·x, and the parts of a float.

use super::{MathFloat, reference};
use crate::device_api::text::{PAIR, math, with};
use crate::ir::{Cost, Facts, Prelude};

static SINCOSPI: Prelude = Prelude {
    name: "ws_sincospi",
    code: "__device__ __forceinline__ ws_Pair<float, float> ws_sincospi(float x) {
    ws_Pair<float, float> both;
    sincospif(x, &both._0, &both._1);
    return both;
}
__device__ __forceinline__ ws_Pair<double, double> ws_sincospi(double x) {
    ws_Pair<double, double> both;
    sincospi(x, &both._0, &both._1);
    return both;
}
",
    needs: &[&PAIR],
};

static FREXP: Prelude = Prelude {
    name: "ws_frexp",
    code: "__device__ __forceinline__ ws_Pair<float, int> ws_frexp(float x) {
    ws_Pair<float, int> parts;
    parts._0 = frexpf(x, &parts._1);
    if (!(fabsf(x) < __int_as_float(0x7f800000))) parts._1 = 0;
    return parts;
}
__device__ __forceinline__ ws_Pair<double, int> ws_frexp(double x) {
    ws_Pair<double, int> parts;
    parts._0 = frexp(x, &parts._1);
    if (!(fabs(x) < __longlong_as_double(0x7ff0000000000000ll))) parts._1 = 0;
    return parts;
}
",
    needs: &[&PAIR],
};

static MODF: Prelude = Prelude {
    name: "ws_modf",
    code: "__device__ __forceinline__ ws_Pair<float, float> ws_modf(float x) {
    ws_Pair<float, float> parts;
    parts._0 = modff(x, &parts._1);
    return parts;
}
__device__ __forceinline__ ws_Pair<double, double> ws_modf(double x) {
    ws_Pair<double, double> parts;
    parts._0 = modf(x, &parts._1);
    return parts;
}
",
    needs: &[&PAIR],
};

builtin! {
    /// `1 / sqrt(x)`.
    ///
    /// `rsqrt(±0)` is ±∞, `rsqrt(+∞)` is +0, and a negative `x` gives NaN. On a GPU up to 2 ulp
    /// (`f32`), 1 ulp (`f64`).
    ///
    /// Source: CUDA Math API, `rsqrtf`, `rsqrt`.
    pub fn rsqrt<T: MathFloat>(x: T) -> T { cuda: math("rsqrt") } {
        T::narrow(1.0 / x.wide().sqrt())
    }

    /// `1 / cbrt(x)`.
    ///
    /// `rcbrt(±0)` is ±∞ and `rcbrt(±∞)` is ±0. On a GPU up to 1 ulp.
    ///
    /// Source: CUDA Math API, `rcbrtf`, `rcbrt`.
    pub fn rcbrt<T: MathFloat>(x: T) -> T { cuda: math("rcbrt") } {
        T::narrow(1.0 / x.wide().cbrt())
    }

    /// `10^x`.
    ///
    /// +∞ above 38.53 (`f32`) or 308.25 (`f64`). On a GPU up to 2 ulp (`f32`), 1 ulp (`f64`).
    ///
    /// Source: CUDA Math API, `exp10f`, `exp10`.
    pub fn exp10<T: MathFloat>(x: T) -> T { cuda: math("exp10") } {
        T::narrow(10f64.powf(x.wide()))
    }

    /// `sin(π·x)`, without the error of multiplying by π first.
    ///
    /// `sinpi(±0)` is ±0; the sign of zero at other integers is open; ±∞ gives NaN. On a GPU up to
    /// 1 ulp (`f32`), 2 ulp (`f64`).
    ///
    /// Source: CUDA Math API, `sinpif`, `sinpi`.
    pub fn sinpi<T: MathFloat>(x: T) -> T { cuda: math("sinpi") } {
        T::narrow(reference::sin_pi(x.wide()))
    }

    /// `cos(π·x)`, without the error of multiplying by π first.
    ///
    /// ±∞ gives NaN. On a GPU up to 1 ulp (`f32`), 2 ulp (`f64`).
    ///
    /// Source: CUDA Math API, `cospif`, `cospi`.
    pub fn cospi<T: MathFloat>(x: T) -> T { cuda: math("cospi") } {
        T::narrow(reference::cos_pi(x.wide()))
    }

    /// `(sin(π·x), cos(π·x))`, as [`sinpi`] and [`cospi`] give them.
    ///
    /// Source: CUDA Math API, `sincospif`, `sincospi`.
    pub fn sincospi<T: MathFloat>(x: T) -> (T, T) { cuda: with("ws_sincospi({0})", &SINCOSPI) } {
        (sinpi(x), cospi(x))
    }

    /// `1 / hypot(x, y)`, without overflow on the way.
    ///
    /// +0 if either is infinite, +∞ if both are zero. On a GPU up to 2 ulp (`f32`), 1 ulp (`f64`).
    ///
    /// Source: CUDA Math API, `rhypotf`, `rhypot`.
    pub fn rhypot<T: MathFloat>(x: T, y: T) -> T { cuda: math("rhypot") } {
        T::narrow(reference::reciprocal_norm(&[x.wide(), y.wide()]))
    }

    /// `sqrt(x² + y² + z²)`, without overflow on the way.
    ///
    /// +∞ if any is infinite. On a GPU up to 3 ulp (`f32`), 2 ulp (`f64`).
    ///
    /// Source: CUDA Math API, `norm3df`, `norm3d`.
    pub fn norm3d<T: MathFloat>(x: T, y: T, z: T) -> T { cuda: math("norm3d") } {
        T::narrow(reference::norm(&[x.wide(), y.wide(), z.wide()]))
    }

    /// `1 / sqrt(x² + y² + z²)`, without overflow on the way.
    ///
    /// +0 if any is infinite, +∞ if all are zero. On a GPU up to 2 ulp (`f32`), 1 ulp (`f64`).
    ///
    /// Source: CUDA Math API, `rnorm3df`, `rnorm3d`.
    pub fn rnorm3d<T: MathFloat>(x: T, y: T, z: T) -> T { cuda: math("rnorm3d") } {
        T::narrow(reference::reciprocal_norm(&[x.wide(), y.wide(), z.wide()]))
    }

    /// `sqrt(x² + y² + z² + w²)`, without overflow on the way.
    ///
    /// +∞ if any is infinite. On a GPU up to 3 ulp (`f32`), 2 ulp (`f64`).
    ///
    /// Source: CUDA Math API, `norm4df`, `norm4d`.
    pub fn norm4d<T: MathFloat>(x: T, y: T, z: T, w: T) -> T { cuda: math("norm4d") } {
        T::narrow(reference::norm(&[x.wide(), y.wide(), z.wide(), w.wide()]))
    }

    /// `1 / sqrt(x² + y² + z² + w²)`, without overflow on the way.
    ///
    /// +0 if any is infinite, +∞ if all are zero. On a GPU up to 2 ulp (`f32`), 1 ulp (`f64`).
    ///
    /// Source: CUDA Math API, `rnorm4df`, `rnorm4d`.
    pub fn rnorm4d<T: MathFloat>(x: T, y: T, z: T, w: T) -> T { cuda: math("rnorm4d") } {
        T::narrow(reference::reciprocal_norm(&[x.wide(), y.wide(), z.wide(), w.wide()]))
    }

    /// The positive difference: `x - y` where that is positive, else +0. NaN if either is NaN. Exact.
    ///
    /// Source: CUDA Math API, `fdimf`, `fdim`.
    pub fn fdim<T: MathFloat>(x: T, y: T) -> T { cuda: math("fdim"), facts: Facts::costs(Cost::Adds) } {
        if x <= y { T::ZERO } else { x - y }
    }

    /// `x · 2^n`, correctly rounded.
    ///
    /// Source: CUDA Math API, `ldexpf`, `ldexp`.
    pub fn ldexp<T: MathFloat>(x: T, n: i32) -> T { cuda: math("ldexp") } {
        T::narrow(libm::ldexp(x.wide(), n))
    }

    /// `x · 2^n`, correctly rounded: [`ldexp`] by its other name.
    ///
    /// Source: CUDA Math API, `scalbnf`, `scalbn`.
    pub fn scalbn<T: MathFloat>(x: T, n: i32) -> T { cuda: math("scalbn") } {
        T::narrow(libm::scalbn(x.wide(), n))
    }

    /// `(fraction, exponent)` with `x = fraction · 2^exponent` and `0.5 <= |fraction| < 1`. Exact.
    ///
    /// Zeros, infinities and NaN come back with exponent 0.
    ///
    /// Source: CUDA Math API, `frexpf`, `frexp`.
    pub fn frexp<T: MathFloat>(x: T) -> (T, i32) { cuda: with("ws_frexp({0})", &FREXP) } {
        if !x.wide().is_finite() {
            return (x, 0);
        }
        let (fraction, exponent) = libm::frexp(x.wide());
        (T::narrow(fraction), exponent)
    }

    /// `(fraction, integer)` with `x = fraction + integer`, both with the sign of `x`. Exact.
    ///
    /// ±∞ gives `(±0, ±∞)`.
    ///
    /// Source: CUDA Math API, `modff`, `modf`.
    pub fn modf<T: MathFloat>(x: T) -> (T, T) { cuda: with("ws_modf({0})", &MODF) } {
        let (fraction, integer) = libm::modf(x.wide());
        (T::narrow(fraction.copysign(x.wide())), T::narrow(integer))
    }

    /// The exponent of `x` as a float: the `e` of `x = m · 2^e` with `1 <= |m| < 2`. Exact.
    ///
    /// -∞ of ±0, +∞ of ±∞; subnormal values have the exponent that their value has.
    ///
    /// Source: CUDA Math API, `logbf`, `logb`.
    pub fn logb<T: MathFloat>(x: T) -> T { cuda: math("logb") } {
        T::narrow(reference::logb(x.wide()))
    }

    /// The exponent of `x` as an integer; see [`logb`]. Exact.
    ///
    /// `i32::MIN` of ±0 and NaN, `i32::MAX` of ±∞.
    ///
    /// Source: CUDA Math API, `ilogbf`, `ilogb`.
    pub fn ilogb<T: MathFloat>(x: T) -> i32 { cuda: math("ilogb") } {
        reference::ilogb(x.wide())
    }

    /// The value next to `x` in the direction of `y`; `y` if they are equal. Exact.
    ///
    /// NaN if either is NaN.
    ///
    /// Source: CUDA Math API, `nextafterf`, `nextafter`.
    pub fn nextafter<T: MathFloat>(x: T, y: T) -> T { cuda: math("nextafter") } {
        x.toward(y)
    }

    /// `x - n·y` with `n` the integer nearest to `x / y`, to even between two: IEEE's remainder. Exact.
    ///
    /// A zero has the sign of `x`. NaN for infinite `x` or zero `y`; `x` for infinite `y`.
    ///
    /// Source: CUDA Math API, `remainderf`, `remainder`.
    pub fn remainder<T: MathFloat>(x: T, y: T) -> T { cuda: math("remainder") } {
        T::narrow(libm::remainder(x.wide(), y.wide()))
    }
}
