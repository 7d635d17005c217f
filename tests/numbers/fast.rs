//! The fast `f32` functions, where NVIDIA bounds them; subnormal numbers are left out.

use super::battery::{Tolerance, battery, close, ulps};
use std::f32::consts::PI;

/// Normal, or zero, or not finite.
fn ordinary(x: f32) -> bool {
    !x.is_subnormal()
}

/// A logarithm's absolute bound between 0.5 and 2, and its bound in ulp elsewhere.
fn log(x: f32, bits: f64, bound: u32) -> Tolerance {
    if !ordinary(x) {
        None
    } else if (0.5..=2.0).contains(&x) {
        close(1, 2f64.powf(-bits) * 1.01)
    } else {
        ulps(bound)
    }
}

/// An exponential's bound, which grows with its argument.
fn exponential(x: f32, result: f64, slope: f32) -> Tolerance {
    let ordinary = x.is_finite() && (f64::from(f32::MIN_POSITIVE) * 2.0..1e38).contains(&result);
    if ordinary { ulps(f64::from(2.0 + (slope * x).abs().floor())) } else { None }
}

/// An absolute bound inside `[-π, π]`.
fn turn(x: f32, bits: f64) -> Tolerance {
    if x.abs() <= PI { close(0, 2f64.powf(-bits) * 1.01) } else { None }
}

battery! { one(x: f32) -> f32 {
    { fast_sin(x) } = { (x as f64).sin() as f32 }, turn(x, 21.41);
    { fast_cos(x) } = { (x as f64).cos() as f32 }, turn(x, 21.19);
    { fast_sincos(x).0 } = { (x as f64).sin() as f32 }, turn(x, 21.41);
    { let (_, c) = fast_sincos(x); c } = { (x as f64).cos() as f32 }, turn(x, 21.19);
    { fast_tan(x) } = { (x as f64).tan() as f32 }, if x.abs() < 1.0 { close(0, 4e-6) } else { None };
    { fast_exp(x) } = { (x as f64).exp() as f32 }, exponential(x, (x as f64).exp(), 1.173);
    { fast_exp2(x) } = { (x as f64).exp2() as f32 }, exponential(x, (x as f64).exp2(), 0.0);
    { fast_exp10(x) } = { 10f64.powf(x as f64) as f32 }, exponential(x, 10f64.powf(x as f64), 2.97);
    { fast_log(x) } = { (x as f64).ln() as f32 }, log(x, 21.41, 3);
    { fast_log2(x) } = { (x as f64).log2() as f32 }, log(x, 22.0, 2);
    { fast_log10(x) } = { (x as f64).log10() as f32 }, log(x, 24.0, 3);
    { saturate(x) } = { if x.is_nan() { 0.0 } else { x.clamp(0.0, 1.0) } }, equal();
} }

battery! { two(x: f32, y: f32) -> f32 {
    { fast_pow(x, y) } = { fast_pow(x, y) }, {
        // The logarithm's error times `y`, through the exponential.
        let log = f64::from(y) * f64::from(x).log2();
        if ordinary(x) && log.abs() < 120.0 {
            let log_error = f64::from(y).abs() * (2f64.powi(-21) + f64::from(x).log2().abs() * 2f64.powi(-21));
            close(4, log.exp2() * (log_error + log.abs() * 2f64.powi(-22)))
        } else {
            None
        }
    };
    { fast_div(x, y) } = { fast_div(x, y) },
        if ordinary(x) && ordinary(y) && ordinary(x / y) && y.abs() <= 2f32.powi(126) { ulps(2) } else { None };
} }
