//! CUDA's math functions on the host, in `f64`, where Rust and libm do not have them.
//!
//! Tested against values of 60 digits: each is within 6 ulp of `f64`, most within 2.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, PI, SQRT_2};

/// π less its nearest `f64`.
const PI_LOW: f64 = 1.2246467991473532e-16;
/// 1/√2 less its nearest `f64`.
const FRAC_1_SQRT_2_LOW: f64 = -4.833646656726457e-17;

/// `sin(π·x)`
pub(super) fn sin_pi(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let (quadrant, rest) = quarter_turns(x);
    match quadrant {
        0 => small_sin_pi(rest).copysign(if rest == 0.0 { x } else { rest }),
        1 => small_cos_pi(rest),
        2 => -small_sin_pi(rest),
        _ => -small_cos_pi(rest),
    }
}

/// `cos(π·x)`
pub(super) fn cos_pi(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let (quadrant, rest) = quarter_turns(x);
    match quadrant {
        0 => small_cos_pi(rest),
        1 => 0.0 - small_sin_pi(rest),
        2 => -small_cos_pi(rest),
        _ => 0.0 + small_sin_pi(rest),
    }
}

/// `(quadrant, rest)` with `x = quadrant / 2 + rest` modulo 2 and `|rest| <= 1/4`; exact.
fn quarter_turns(x: f64) -> (i64, f64) {
    let turn = x % 2.0;
    let halves = (turn * 2.0).round();
    ((halves as i64).rem_euclid(4), turn - halves * 0.5)
}

fn small_sin_pi(x: f64) -> f64 {
    let angle = x * PI;
    let low = x.mul_add(PI, -angle) + x * PI_LOW;
    angle.sin() + low * angle.cos()
}

fn small_cos_pi(x: f64) -> f64 {
    let angle = x * PI;
    let low = x.mul_add(PI, -angle) + x * PI_LOW;
    angle.cos() - low * angle.sin()
}

/// The Euclidean norm.
pub(super) fn norm(values: &[f64]) -> f64 {
    match scaled_norm(values) {
        Ok((norm, exponent)) => libm::scalbn(norm, exponent),
        Err(special) => special,
    }
}

/// `1 / norm(values)`, which may be finite where the norm is not.
pub(super) fn reciprocal_norm(values: &[f64]) -> f64 {
    match scaled_norm(values) {
        Ok((norm, exponent)) => libm::scalbn(1.0 / norm, -exponent),
        Err(special) => 1.0 / special,
    }
}

/// `(n, e)` with the norm `n · 2^e`, `n` near 1; a norm of zero, infinity or NaN as the error.
fn scaled_norm(values: &[f64]) -> Result<(f64, i32), f64> {
    if values.iter().any(|v| v.is_infinite()) {
        return Err(f64::INFINITY);
    }
    if values.iter().any(|v| v.is_nan()) {
        return Err(f64::NAN);
    }
    let largest = values.iter().fold(0f64, |a, v| a.max(v.abs()));
    if largest == 0.0 {
        return Err(0.0);
    }
    let exponent = libm::ilogb(largest);
    // The squares and their sum carry what their rounding lost.
    let (mut sum, mut low) = (0.0, 0.0);
    for value in values {
        let v = libm::scalbn(*value, -exponent);
        let square = v * v;
        let total = sum + square;
        let (big, small) = if sum > square { (sum, square) } else { (square, sum) };
        low += (small - (total - big)) + v.mul_add(v, -square);
        sum = total;
    }
    let root = sum.sqrt();
    Ok((root + ((-root).mul_add(root, sum) + low) / (2.0 * root), exponent))
}

/// The exponent as a float.
pub(super) fn logb(x: f64) -> f64 {
    if x == 0.0 {
        f64::NEG_INFINITY
    } else if x.is_finite() {
        libm::ilogb(x).into()
    } else {
        x.abs()
    }
}

/// The exponent as an integer, with CUDA's values of zero, infinity and NaN.
pub(super) fn ilogb(x: f64) -> i32 {
    if x == 0.0 || x.is_nan() {
        i32::MIN
    } else if x.is_infinite() {
        i32::MAX
    } else {
        libm::ilogb(x)
    }
}

/// `exp(x²)`, without the error that rounding `x²` would bring.
fn exp_of_square(x: f64) -> f64 {
    let square = x * x;
    let low = x.mul_add(x, -square);
    let power = square.exp();
    if power.is_finite() { power + power * low } else { power }
}

/// `exp(x²) · erfc(x)`
pub(super) fn erfc_scaled(x: f64) -> f64 {
    if x < 0.0 {
        return 2.0 * exp_of_square(x) - erfc_scaled(-x);
    }
    if x < 10.0 || x.is_nan() {
        return exp_of_square(x) * libm::erfc(x);
    }
    // The asymptotic series; from 10 on its terms fall below an ulp before they grow.
    let step = -0.5 / x / x;
    let (mut sum, mut term) = (0.0, 1.0);
    for k in 1..30 {
        term *= step * f64::from(2 * k - 1);
        sum += term;
        if term.abs() < 1e-19 {
            break;
        }
    }
    let lead = FRAC_2_SQRT_PI / 2.0 / x;
    lead + lead * sum
}

/// The inverse of `erf`.
pub(super) fn erf_inverse(x: f64) -> f64 {
    let magnitude = x.abs();
    if x == 0.0 || x.is_nan() {
        return x;
    }
    if magnitude > 0.5 {
        return erfc_inverse(1.0 - magnitude).copysign(x);
    }
    // The first terms of the series, then Newton's steps.
    let square = magnitude * magnitude;
    let series =
        1.0 + square * (0.2617993877991494 + square * (0.14393173084921979 + square * 0.09766361950392055));
    let mut y = magnitude * series / FRAC_2_SQRT_PI;
    for _ in 0..4 {
        y -= (libm::erf(y) - magnitude) / (FRAC_2_SQRT_PI * (-y * y).exp());
    }
    y.copysign(x)
}

/// The inverse of `erfc`.
pub(super) fn erfc_inverse(p: f64) -> f64 {
    if !(0.0..=2.0).contains(&p) {
        return f64::NAN;
    }
    if p == 0.0 {
        return f64::INFINITY;
    }
    if p > 1.5 {
        return -erfc_inverse(2.0 - p);
    }
    if p >= 0.5 {
        return erf_inverse(1.0 - p);
    }
    // Winitzki's approximation, then Newton's steps on the logarithm, which never overshoot far.
    let log = (p * (2.0 - p)).ln();
    let middle = 2.0 / (PI * 0.147) + log / 2.0;
    let mut y = ((middle * middle - log / 0.147).sqrt() - middle).sqrt();
    for _ in 0..5 {
        let scaled = erfc_scaled(y);
        y += (scaled.ln() - y * y - p.ln()) * scaled / FRAC_2_SQRT_PI;
    }
    // The logarithm is the finer measure of tiny values, `erfc` itself of the others.
    if p > 1e-290 {
        y += (libm::erfc(y) - p) / (FRAC_2_SQRT_PI * (-y * y).exp());
    }
    y
}

/// The cumulative distribution of the standard normal distribution.
pub(super) fn normal_distribution(x: f64) -> f64 {
    if x.abs() > 40.0 {
        return if x > 0.0 { 1.0 } else { 0.0 };
    }
    let t = -x * FRAC_1_SQRT_2;
    let low = (-x).mul_add(FRAC_1_SQRT_2, -t) - x * FRAC_1_SQRT_2_LOW;
    0.5 * (libm::erfc(t) - FRAC_2_SQRT_PI * (-t * t).exp() * low)
}

/// The inverse of [`normal_distribution`].
pub(super) fn normal_distribution_inverse(p: f64) -> f64 {
    // Adding zero turns -0 into +0 in the middle.
    -SQRT_2 * erfc_inverse(2.0 * p) + 0.0
}
