//! CUDA's math library: within NVIDIA's bounds of libm's value, or of the simulator's, which the
//! library's own unit tests hold against 60 digits.

use super::battery::{Tolerance, battery, close, exact, only, ulps};

/// A documented bound where a function has one in ulp of `f64`, with two more for the host's own error.
fn pick(single: u32, double: u32, is_single: bool) -> Tolerance {
    ulps(if is_single { single } else { double + 2 })
}

/// The length of a vector, one coordinate after another.
fn length(coordinates: &[f64]) -> f64 {
    let infinite = coordinates.iter().any(|c| c.is_infinite());
    // An overflow on the way would hide a NaN.
    if !infinite && coordinates.iter().any(|c| c.is_nan()) {
        return f64::NAN;
    }
    coordinates.iter().fold(0.0, |sum: f64, c| sum.hypot(*c))
}

/// A reciprocal length, where [`length`] itself neither overflows nor loses digits.
fn sized(length: f64, tolerance: Tolerance) -> Tolerance {
    only(length == 0.0 || length.is_nan() || (1e-300..1e300).contains(&length), tolerance)
}

/// Bessel functions: ulp below 8 and away from zeros, else an absolute error.
fn bessel(x: f64, bound: u32, is_single: bool) -> Tolerance {
    let near = if is_single { 1e-6 } else { 2e-15 };
    let far = if is_single { 2.2e-6 } else { 5e-12 };
    // NVIDIA tested what it states up to some size; past 1e4 the argument's reduction decides.
    if x.abs() > 1e4 { None } else { close(bound, if x.abs() < 8.0 { near } else { far }) }
}

/// Bessel functions of higher orders: an absolute error, or one relative to it where the value is large.
fn orders(x: f64, least: f64, is_single: bool) -> Tolerance {
    let ordinary = (least..1e4).contains(&x.abs()) || x == 0.0 || !x.is_finite();
    if ordinary { close(10, if is_single { 2.2e-6 } else { 5e-12 }) } else { None }
}

macro_rules! library {
    ($one:ident, $many:ident, $parts:ident, $ints:ident, $t:ident, $single:literal) => {
        battery! { $one(x: $t) -> $t {
            { rsqrt(x) } = { (1.0 / (x as f64).sqrt()) as $t }, pick(2, 1, $single);
            { rcbrt(x) } = { (1.0 / (x as f64).cbrt()) as $t }, pick(1, 1, $single);
            { exp10(x) } = { 10f64.powf(x as f64) as $t }, pick(2, 1, $single);
            { sinpi(x) } = { sinpi(x) }, pick(1, 2, $single);
            { cospi(x) } = { cospi(x) }, pick(1, 2, $single);
            { sincospi(x).0 } = { sinpi(x) }, pick(1, 2, $single);
            { let (_, c) = sincospi(x); c } = { cospi(x) }, pick(1, 2, $single);
            { erf(x) } = { libm::erf(x as f64) as $t }, pick(2, 2, $single);
            { erfc(x) } = { libm::erfc(x as f64) as $t }, pick(4, 5, $single);
            { erfcx(x) } = { erfcx(x) }, pick(4, 4, $single);
            { erfinv(x) } = { erfinv(x) }, pick(2, 5, $single);
            { erfinv(x.fract()) } = { erfinv(x.fract()) }, pick(2, 5, $single);
            { erfcinv(x) } = { erfcinv(x) }, pick(4, 6, $single);
            { erfcinv(x.abs().fract()) } = { erfcinv(x.abs().fract()) }, pick(4, 6, $single);
            { normcdf(x) } = { normcdf(x) }, pick(5, 5, $single);
            { normcdfinv(x) } = { normcdfinv(x) }, pick(5, 8, $single);
            { normcdfinv(x.abs().fract()) } = { normcdfinv(x.abs().fract()) }, pick(5, 8, $single);
            { tgamma(x) } = { libm::tgamma(x as f64) as $t }, pick(11, 10, $single);
            { lgamma(x) } = { libm::lgamma(x as f64) as $t },
                if x < -2.0 && x > -24.0 { close(6, if $single { 4e-6 } else { 1e-14 }) } else { pick(6, 4, $single) };
            { j0(x) } = { libm::j0(x as f64) as $t }, bessel(x.into(), 9, $single);
            { j1(x) } = { libm::j1(x as f64) as $t }, bessel(x.into(), 9, $single);
            { y0(x) } = { y0(x) }, bessel(x.into(), 9, $single);
            { y1(x) } = { y1(x) }, bessel(x.into(), 9, $single);
            { jn(3, x) } = { jn(3, x) }, orders(x.into(), 1e-3, $single);
            { jn(-1, x) } = { $t::NAN }, exact();
            { yn(2, x) } = { yn(2, x) }, orders(x.into(), 1e-3, $single);
            { cyl_bessel_i0(x) } = { cyl_bessel_i0(x) }, pick(6, 9, $single);
            { cyl_bessel_i1(x) } = { cyl_bessel_i1(x) }, pick(6, 9, $single);
        } }

        battery! { $many(x: $t, y: $t, z: $t, w: $t) -> $t {
            { rhypot(x, y) } = { (1.0 / length(&[x.into(), y.into()])) as $t }, sized(length(&[x.into(), y.into()]), pick(2, 1, $single));
            { norm3d(x, y, z) } = { length(&[x.into(), y.into(), z.into()]) as $t }, pick(3, 2, $single);
            { rnorm3d(x, y, z) } = { (1.0 / length(&[x.into(), y.into(), z.into()])) as $t }, sized(length(&[x.into(), y.into(), z.into()]), pick(2, 1, $single));
            { norm4d(x, y, z, w) } = { length(&[x.into(), y.into(), z.into(), w.into()]) as $t }, pick(3, 2, $single);
            { rnorm4d(x, y, z, w) } = { (1.0 / length(&[x.into(), y.into(), z.into(), w.into()])) as $t }, sized(length(&[x.into(), y.into(), z.into(), w.into()]), pick(2, 1, $single));
            { fdim(x, y) } = { if x.is_nan() || y.is_nan() { $t::NAN } else if x > y { x - y } else { 0.0 } }, exact();
            { remainder(x, y) } = { libm::remainder(x as f64, y as f64) as $t }, exact();
            { nextafter(x, y) } = {
                if x.is_nan() || y.is_nan() { $t::NAN } else if x < y { x.next_up() } else if x > y { x.next_down() } else { y }
            }, exact();
        } }

        battery! { $parts(x: $t, n: i32) -> $t {
            { ldexp(x, n) } = { libm::ldexp(x as f64, n) as $t }, exact();
            { ldexp(x, n >> 24) } = { libm::ldexp(x as f64, n >> 24) as $t }, exact();
            { scalbn(x, n >> 21) } = { libm::ldexp(x as f64, n >> 21) as $t }, exact();
            { frexp(x).0 } = { if x.is_finite() { libm::frexp(x as f64).0 as $t } else { x } }, exact();
            { let (fraction, integer) = modf(x); fraction } = { if x.is_infinite() { (0.0 as $t).copysign(x) } else { x.fract().copysign(x) } }, exact();
            { modf(x).1 } = { x.trunc() }, exact();
            { logb(x) } = { logb(x) }, exact();
        } }

        battery! { $ints(x: $t) -> i32 {
            { let (_, exponent) = frexp(x); exponent } = { if x.is_finite() { libm::frexp(x as f64).1 } else { 0 } }, exact();
            { ilogb(x) } = {
                if x == 0.0 || x.is_nan() { i32::MIN } else if x.is_infinite() { i32::MAX } else { libm::ilogb(x as f64) }
            }, exact();
        } }
    };
}

library!(f32_one, f32_many, f32_parts, f32_ints, f32, true);
library!(f64_one, f64_many, f64_parts, f64_ints, f64, false);

/// Generic device code calls std's methods and the library alike.
mod generic {
    use crate::battery::{compiles, devices};
    use warpsmith::prelude::*;

    #[gpu_fn]
    fn blend<T: MathFloat>(x: T, y: T) -> T {
        let (s, c) = x.sin_cos();
        let near = x.midpoint(y).rem_euclid(y);
        if near.is_nan() { T::ZERO } else { s * erf(x) + c * rsqrt(y) + near }
    }

    #[gpu_kernel(fmad = false)]
    fn blends(x: f32, y: f64, narrow: &mut [f32], wide: &mut [f64]) {
        narrow[0] = blend(x, 2.0f32);
        wide[0] = blend(y, 2.0f64);
    }

    #[test]
    fn generic_code_uses_methods_and_library() {
        compiles("blends", &blends::cuda_source().expect("the kernel prints"));
        for device in devices() {
            let mut narrow = device.alloc_zeroed::<f32>(1).expect("memory");
            let mut wide = device.alloc_zeroed::<f64>(1).expect("memory");
            blends(0.75, 0.75, &mut narrow, &mut wide)
                .grid(1)
                .block(1)
                .launch(&device)
                .expect("the kernel runs");
            let want = 0.75f64.sin() * libm::erf(0.75) + 0.75f64.cos() / 2f64.sqrt() + 1.375;
            let (narrow, wide) =
                (device.download(&narrow).expect("memory")[0], device.download(&wide).expect("memory")[0]);
            assert!(
                (f64::from(narrow) - want).abs() < 1e-6 && (wide - want).abs() < 1e-14,
                "{narrow} {wide} {want}"
            );
        }
    }

    #[gpu_kernel]
    fn shadows(out: &mut [f64]) {
        let y0 = y0(out[0]);
        let j1 = j1(y0);
        let remainder = remainder(j1, y0);
        let erf = erf(remainder);
        let (sinpi, cospi) = sincospi(erf);
        let exp10 = exp10(sinpi * cospi);
        out[1] = exp10;
    }

    #[test]
    fn variables_may_have_the_functions_names() {
        compiles("shadows", &shadows::cuda_source().expect("the kernel prints"));
    }
}
