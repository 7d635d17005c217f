//! Error functions, the normal distribution, gamma and Bessel functions.

use super::{MathFloat, bessel, reference};
use crate::device_api::text::{either, math, with};
use crate::ir::Prelude;

/// CUDA's functions of order 2 and above divide by their argument, which may be zero.
static JN: Prelude = Prelude {
    name: "ws_jn",
    code: "__device__ __forceinline__ float ws_jn(int n, float x) {
    return x == 0.0f && n > 1 ? (n & 1 ? x : 0.0f) : jnf(n, x);
}
__device__ __forceinline__ double ws_jn(int n, double x) {
    return x == 0.0 && n > 1 ? (n & 1 ? x : 0.0) : jn(n, x);
}
",
    needs: &[],
};

/// CUDA's functions give a negative zero the other sign.
static YN: Prelude = Prelude {
    name: "ws_yn",
    code: "__device__ __forceinline__ float ws_yn(int n, float x) { return ynf(n, x == 0.0f ? 0.0f : x); }
__device__ __forceinline__ double ws_yn(int n, double x) { return yn(n, x == 0.0 ? 0.0 : x); }
",
    needs: &[],
};

builtin! {
    /// The error function, `2/√π · ∫₀ˣ exp(-t²) dt`.
    ///
    /// `erf(±0)` is ±0 and `erf(±∞)` is ±1. On a GPU up to 2 ulp.
    ///
    /// Source: CUDA Math API, `erff`, `erf`.
    pub fn erf<T: MathFloat>(x: T) -> T { cuda: math("erf") } {
        T::narrow(libm::erf(x.wide()))
    }

    /// The complementary error function, `1 - erf(x)`, accurate where that is small.
    ///
    /// `erfc(-∞)` is 2 and `erfc(+∞)` is +0. On a GPU up to 4 ulp (`f32`), 5 ulp (`f64`).
    ///
    /// Source: CUDA Math API, `erfcf`, `erfc`.
    pub fn erfc<T: MathFloat>(x: T) -> T { cuda: math("erfc") } {
        T::narrow(libm::erfc(x.wide()))
    }

    /// The scaled complementary error function, `exp(x²) · erfc(x)`.
    ///
    /// `erfcx(-∞)` is +∞ and `erfcx(+∞)` is +0. On a GPU up to 4 ulp.
    ///
    /// Source: CUDA Math API, `erfcxf`, `erfcx`.
    pub fn erfcx<T: MathFloat>(x: T) -> T { cuda: math("erfcx") } {
        T::narrow(reference::erfc_scaled(x.wide()))
    }

    /// The inverse of [`erf`], for `x` from -1 to 1.
    ///
    /// `erfinv(±0)` is ±0, `erfinv(±1)` is ±∞, and NaN outside. On a GPU up to 2 ulp (`f32`), 5 ulp (`f64`).
    ///
    /// Source: CUDA Math API, `erfinvf`, `erfinv`.
    pub fn erfinv<T: MathFloat>(x: T) -> T { cuda: math("erfinv") } {
        T::narrow(reference::erf_inverse(x.wide()))
    }

    /// The inverse of [`erfc`], for `x` from 0 to 2.
    ///
    /// `erfcinv(±0)` is +∞, `erfcinv(2)` is -∞, and NaN outside. On a GPU up to 4 ulp (`f32`), 6 ulp (`f64`).
    ///
    /// Source: CUDA Math API, `erfcinvf`, `erfcinv`.
    pub fn erfcinv<T: MathFloat>(x: T) -> T { cuda: math("erfcinv") } {
        T::narrow(reference::erfc_inverse(x.wide()))
    }

    /// The cumulative distribution of the standard normal distribution.
    ///
    /// `normcdf(-∞)` is +0 and `normcdf(+∞)` is 1. On a GPU up to 5 ulp.
    ///
    /// Source: CUDA Math API, `normcdff`, `normcdf`.
    pub fn normcdf<T: MathFloat>(x: T) -> T { cuda: math("normcdf") } {
        T::narrow(reference::normal_distribution(x.wide()))
    }

    /// The inverse of [`normcdf`], for `x` from 0 to 1.
    ///
    /// `normcdfinv(±0)` is -∞, `normcdfinv(1)` is +∞, and NaN outside. On a GPU up to 5 ulp (`f32`), 8 ulp (`f64`).
    ///
    /// Source: CUDA Math API, `normcdfinvf`, `normcdfinv`.
    pub fn normcdfinv<T: MathFloat>(x: T) -> T { cuda: math("normcdfinv") } {
        T::narrow(reference::normal_distribution_inverse(x.wide()))
    }

    /// The gamma function.
    ///
    /// `tgamma(±0)` is ±∞, `tgamma(+∞)` is +∞; NaN of negative integers and -∞. On a GPU up to
    /// 5 ulp (`f32`), 10 ulp (`f64`).
    ///
    /// Source: CUDA Math API, `tgammaf`, `tgamma`.
    pub fn tgamma<T: MathFloat>(x: T) -> T { cuda: math("tgamma") } {
        T::narrow(libm::tgamma(x.wide()))
    }

    /// The natural logarithm of the absolute value of the gamma function.
    ///
    /// +∞ of ±∞, of zero and of negative integers; +0 of 1 and 2. On a GPU up to 6 ulp outside
    /// `[-10.001, -2.264]` (`f32`), 4 ulp outside `[-23.0001, -2.2637]` (`f64`); larger inside.
    ///
    /// Source: CUDA Math API, `lgammaf`, `lgamma`.
    pub fn lgamma<T: MathFloat>(x: T) -> T { cuda: math("lgamma") } {
        T::narrow(libm::lgamma(x.wide()))
    }

    /// The Bessel function of the first kind of order 0.
    ///
    /// `j0(±∞)` is +0. On a GPU up to 9 ulp (`f32`), 7 ulp (`f64`) for `|x| < 8`, away from the
    /// zeros; beyond, an absolute error up to 2.2e-6 (`f32`), 5e-12 (`f64`).
    ///
    /// Source: CUDA Math API, `j0f`, `j0`.
    pub fn j0<T: MathFloat>(x: T) -> T { cuda: either("j0f({0})", "::j0({0})") } {
        T::narrow(libm::j0(x.wide()))
    }

    /// The Bessel function of the first kind of order 1; its error is that of [`j0`].
    ///
    /// `j1(±0)` is ±0 and `j1(±∞)` is ±0.
    ///
    /// Source: CUDA Math API, `j1f`, `j1`.
    pub fn j1<T: MathFloat>(x: T) -> T { cuda: either("j1f({0})", "::j1({0})") } {
        T::narrow(libm::j1(x.wide()))
    }

    /// The Bessel function of the first kind of order `n`; NaN if `n` is negative.
    ///
    /// On a GPU an absolute error up to 2.2e-6 (`f32`), 5e-12 (`f64`) at `n = 128`.
    ///
    /// Source: CUDA Math API, `jnf`, `jn`.
    pub fn jn<T: MathFloat>(n: i32, x: T) -> T { cuda: with("ws_jn({0}, {1})", &JN) } {
        T::narrow(bessel::j(n, x.wide()))
    }

    /// The Bessel function of the second kind of order 0; its error is that of [`j0`].
    ///
    /// -∞ at ±0, +0 at +∞, NaN below zero.
    ///
    /// Source: CUDA Math API, `y0f`, `y0`.
    pub fn y0<T: MathFloat>(x: T) -> T { cuda: either("y0f({0})", "::y0({0})") } {
        T::narrow(bessel::y(0, x.wide()))
    }

    /// The Bessel function of the second kind of order 1; its error is that of [`j0`].
    ///
    /// -∞ at ±0, +0 at +∞, NaN below zero.
    ///
    /// Source: CUDA Math API, `y1f`, `y1`.
    pub fn y1<T: MathFloat>(x: T) -> T { cuda: either("y1f({0})", "::y1({0})") } {
        T::narrow(bessel::y(1, x.wide()))
    }

    /// The Bessel function of the second kind of order `n`; NaN if `n` is negative.
    ///
    /// On a GPU up to `2 + 2.5·n` ulp (`f32`, `|x| < n`), and beyond an absolute error up to 2.2e-6
    /// (`f32`), 5e-12 (`f64`, `|x| > 1.5·n`).
    ///
    /// Source: CUDA Math API, `ynf`, `yn`.
    pub fn yn<T: MathFloat>(n: i32, x: T) -> T { cuda: with("ws_yn({0}, {1})", &YN) } {
        T::narrow(bessel::y(n, x.wide()))
    }

    /// The regular modified cylindrical Bessel function of order 0.
    ///
    /// 1 at ±0, +∞ at ±∞. On a GPU up to 6 ulp.
    ///
    /// Source: CUDA Math API, `cyl_bessel_i0f`, `cyl_bessel_i0`.
    pub fn cyl_bessel_i0<T: MathFloat>(x: T) -> T { cuda: math("cyl_bessel_i0") } {
        T::narrow(bessel::i(0, x.wide()))
    }

    /// The regular modified cylindrical Bessel function of order 1.
    ///
    /// ±0 at ±0, ±∞ at ±∞. On a GPU up to 6 ulp.
    ///
    /// Source: CUDA Math API, `cyl_bessel_i1f`, `cyl_bessel_i1`.
    pub fn cyl_bessel_i1<T: MathFloat>(x: T) -> T { cuda: math("cyl_bessel_i1") } {
        T::narrow(bessel::i(1, x.wide()))
    }
}
