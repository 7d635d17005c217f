//! The transcendental methods of `f32` and `f64`, within NVIDIA's bounds.
//!
//! Rust's `asinh` and `acosh` overflow near the largest value, where CUDA's do not: not compared there. Its `atanh` loses digits towards -1, where CUDA's does not.

use super::battery::battery;

/// The error that Rust's `atanh` may make at a negative argument.
fn loss(x: f64, epsilon: f64) -> f64 {
    if x < 0.0 && x > -1.0 { epsilon / (1.0 + x) } else { 0.0 }
}

battery! { f32_methods(x: f32, y: f32) -> f32 {
    { x.cbrt() } = { (x as f64).cbrt() as f32 }, ulps(1);
    { x.hypot(y) } = { (x as f64).hypot(y as f64) as f32 }, ulps(3);
    { x.exp() } = { (x as f64).exp() as f32 }, ulps(2);
    { x.exp2() } = { (x as f64).exp2() as f32 }, ulps(2);
    { x.exp_m1() } = { (x as f64).exp_m1() as f32 }, ulps(1);
    { x.ln() } = { (x as f64).ln() as f32 }, ulps(1);
    { x.log2() } = { (x as f64).log2() as f32 }, ulps(1);
    { x.log10() } = { (x as f64).log10() as f32 }, ulps(2);
    { x.log(3.0) } = { x.ln() / 3f32.ln() }, ulps(4);
    { x.ln_1p() } = { (x as f64).ln_1p() as f32 }, ulps(1);
    { x.sin() } = { (x as f64).sin() as f32 }, ulps(2);
    { x.cos() } = { (x as f64).cos() as f32 }, ulps(2);
    { let (s, c) = x.sin_cos(); s - c } = { ((x as f64).sin() as f32) - ((x as f64).cos() as f32) }, close(2, 4e-7);
    { x.sin_cos().0 } = { (x as f64).sin() as f32 }, ulps(2);
    { x.sin_cos().1 } = { (x as f64).cos() as f32 }, ulps(2);
    { x.tan() } = { (x as f64).tan() as f32 }, ulps(4);
    { x.asin() } = { (x as f64).asin() as f32 }, ulps(4);
    { x.acos() } = { (x as f64).acos() as f32 }, ulps(3);
    { x.atan() } = { (x as f64).atan() as f32 }, ulps(2);
    { x.atan2(y) } = { (x as f64).atan2(y as f64) as f32 }, ulps(3);
    { x.sinh() } = { (x as f64).sinh() as f32 }, ulps(3);
    { x.cosh() } = { (x as f64).cosh() as f32 }, ulps(2);
    { x.tanh() } = { (x as f64).tanh() as f32 }, ulps(2);
    { x.asinh() } = { libm::asinh(x as f64) as f32 }, only(x.abs() < 1e18, ulps(4));
    { x.acosh() } = { if x < 1.0 { f32::NAN } else { libm::acosh(x as f64) as f32 } }, only(!(x >= 1e18), close(4, 4e-7));
    { x.atanh() } = { libm::atanh(x as f64) as f32 }, close(3, loss(x.into(), f32::EPSILON.into()));
    { x.powf(y) } = { (x as f64).powf(y as f64) as f32 }, ulps(8);
} }

battery! { f64_methods(x: f64, y: f64) -> f64 {
    { x.cbrt() } = { x.cbrt() }, ulps(2);
    { x.hypot(y) } = { x.hypot(y) }, ulps(2);
    { x.exp() } = { x.exp() }, ulps(1);
    { x.exp2() } = { x.exp2() }, ulps(1);
    { x.exp_m1() } = { x.exp_m1() }, ulps(2);
    { x.ln() } = { x.ln() }, ulps(1);
    { x.log2() } = { x.log2() }, ulps(1);
    { x.log10() } = { x.log10() }, ulps(2);
    { x.log(3.0) } = { x.ln() / 3f64.ln() }, ulps(4);
    { x.ln_1p() } = { x.ln_1p() }, ulps(1);
    { x.sin() } = { x.sin() }, ulps(2);
    { x.cos() } = { x.cos() }, ulps(2);
    { x.sin_cos().0 } = { x.sin() }, ulps(2);
    { x.sin_cos().1 } = { x.cos() }, ulps(2);
    { x.tan() } = { x.tan() }, ulps(2);
    { x.asin() } = { x.asin() }, ulps(2);
    { x.acos() } = { x.acos() }, ulps(2);
    { x.atan() } = { x.atan() }, ulps(2);
    { x.atan2(y) } = { x.atan2(y) }, ulps(2);
    { x.sinh() } = { x.sinh() }, ulps(3);
    { x.cosh() } = { x.cosh() }, ulps(2);
    { x.tanh() } = { x.tanh() }, ulps(3);
    { x.asinh() } = { libm::asinh(x) }, only(x.abs() < 1e150, ulps(4));
    { x.acosh() } = { if x < 1.0 { f64::NAN } else { libm::acosh(x) } }, only(!(x >= 1e150), close(4, 1e-15));
    { x.atanh() } = { libm::atanh(x) }, close(4, loss(x, f64::EPSILON));
    { x.powf(y) } = { x.powf(y) }, ulps(2);
} }
