//! Bessel functions on the host, in `f64`: libm's with CUDA's special values, and own code of the
//! modified ones.

use std::f64::consts::PI;

/// The first kind, order `n`.
pub(super) fn j(n: i32, x: f64) -> f64 {
    match n {
        ..0 => f64::NAN,
        _ if x.is_infinite() => 0.0,
        _ => libm::jn(n, x),
    }
}

/// The second kind, order `n`.
pub(super) fn y(n: i32, x: f64) -> f64 {
    match n {
        ..0 => f64::NAN,
        _ if x == 0.0 => f64::NEG_INFINITY,
        _ if x < 0.0 || x.is_nan() => f64::NAN,
        _ if x.is_infinite() => 0.0,
        0 => libm::y0(x),
        1 => libm::y1(x),
        _ => libm::yn(n, x),
    }
}

/// The modified first kind, of order 0 or 1.
pub(super) fn i(order: u32, x: f64) -> f64 {
    let magnitude = x.abs();
    // Beyond 720 the exponential that it grows by has no finite value.
    let value = if magnitude > 720.0 {
        f64::INFINITY
    } else if magnitude < 20.0 {
        i_series(order, magnitude)
    } else {
        i_asymptotic(order, magnitude)
    };
    if order == 1 { value.copysign(x) } else { value }
}

/// A value as a sum of two floats, the second below an ulp of the first.
#[derive(Clone, Copy)]
struct Double {
    high: f64,
    low: f64,
}

impl Double {
    fn new(high: f64, low: f64) -> Self {
        let sum = high + low;
        Self { high: sum, low: low - (sum - high) }
    }

    fn square(x: f64) -> Self {
        Self { high: x * x, low: x.mul_add(x, -(x * x)) }
    }

    fn times(self, other: Self) -> Self {
        let product = self.high * other.high;
        let error = self.high.mul_add(other.high, -product);
        Self::new(product, error + self.high * other.low + self.low * other.high)
    }

    fn over(self, divisor: f64) -> Self {
        let quotient = self.high / divisor;
        let rest = (-quotient).mul_add(divisor, self.high) + self.low;
        Self::new(quotient, rest / divisor)
    }

    /// `1 + self`, for a value that is not negative.
    fn plus_one(self) -> Self {
        let sum = 1.0 + self.high;
        let error = if self.high > 1.0 { 1.0 - (sum - self.high) } else { self.high - (sum - 1.0) };
        Self::new(sum, error + self.low)
    }
}

/// `Σ (x²/4)^k / (k! (k + order)!)`, innermost term first.
fn i_series(order: u32, x: f64) -> f64 {
    let quarter = Double::square(x * 0.5);
    let mut sum = Double { high: 1.0, low: 0.0 };
    for k in (1..60u32).rev() {
        sum = sum.times(quarter).over(f64::from(k * (k + order))).plus_one();
    }
    if order == 1 { 0.5 * x * (sum.high + sum.low) } else { sum.high + sum.low }
}

/// `exp(x) / sqrt(2πx)` times a series in `1/(8x)`; the power in two halves, which overflow later.
fn i_asymptotic(order: u32, x: f64) -> f64 {
    let mu = f64::from(4 * order * order);
    let (mut sum, mut term) = (1.0, 1.0f64);
    for k in 1..40u32 {
        let odd = f64::from(2 * k - 1);
        term *= (odd * odd - mu) / (f64::from(k) * 8.0 * x);
        sum += term;
        if term.abs() < 1e-18 {
            break;
        }
    }
    let half = (x * 0.5).exp();
    half * (sum / (2.0 * PI * x).sqrt()) * half
}
