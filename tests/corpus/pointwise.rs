//! Kernels whose threads share nothing: option prices and the Mandelbrot set.

use core::ops::{Add, Mul};

use warpsmith::prelude::*;

/// Rates a year.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
pub struct Market {
    pub riskless: f32,
    pub volatility: f32,
}

/// A polynomial whose coefficients stand from the constant on.
#[gpu_fn]
fn horner<const N: usize>(coefficients: &[f32; N], x: f32) -> f32 {
    let mut value = coefficients[N - 1];
    #[unroll]
    for i in 1..N {
        value = value * x + coefficients[N - 1 - i];
    }
    value
}

/// Abramowitz and Stegun 26.2.17.
const NORMAL: [f32; 6] = [0.0, 0.319_381_53, -0.356_563_78, 1.781_477_9, -1.821_255_9, 1.330_274_5];

/// The probability that a standard normal variable is below `d`.
#[gpu_fn]
fn normal_below(d: f32) -> f32 {
    let density = 0.398_942_3 * fast_exp(-0.5 * d * d);
    let above = density * horner(&NORMAL, fast_div(1.0, 1.0 + 0.231_641_9 * d.abs()));
    if d > 0.0 { 1.0 - above } else { above }
}

/// Prices of European options by the formula of Black and Scholes.
#[gpu_kernel(noalias)]
pub fn black_scholes(
    price: &[f32],
    strike: &[f32],
    years: &[f32],
    call: &mut [f32],
    put: &mut [f32],
    market: Market,
) {
    let i = global_id();
    if i >= price.len() {
        return;
    }
    let (s, x, t) = (price[i], strike[i], years[i]);
    let Market { riskless, volatility } = market;
    let spread = volatility * t.sqrt();
    let d1 = fast_div(fast_log(fast_div(s, x)) + (riskless + 0.5 * volatility * volatility) * t, spread);
    let (below_1, below_2) = (normal_below(d1), normal_below(d1 - spread));
    let discounted = x * fast_exp(-riskless * t);
    call[i] = s * below_1 - discounted * below_2;
    put[i] = discounted * (1.0 - below_2) - s * (1.0 - below_1);
}

/// A complex number.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Complex {
    pub re: f32,
    pub im: f32,
}

#[gpu_impl]
impl Complex {
    /// The square of the distance from zero.
    pub fn norm_squared(self) -> f32 {
        self.re * self.re + self.im * self.im
    }
}

#[gpu_impl]
impl Add for Complex {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { re: self.re + other.re, im: self.im + other.im }
    }
}

#[gpu_impl]
impl Mul for Complex {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let re = self.re * other.re - self.im * other.im;
        Self { re, im: self.re * other.im + self.im * other.re }
    }
}

/// Steps of `z² + c` from zero until `z` leaves the circle of radius 2, at most `limit`.
#[gpu_fn]
pub fn escape_time(c: Complex, limit: u32) -> u32 {
    let mut z = Complex { re: 0.0, im: 0.0 };
    for step in 0..limit {
        if z.norm_squared() > 4.0 {
            return step;
        }
        z = z * z + c;
    }
    limit
}

/// Escape times of the points `corner + (col, row) * pitch`; `times`: row-major `[height, width]`.
#[gpu_kernel]
pub fn mandelbrot(times: &mut [u32], width: u32, height: u32, corner: Complex, pitch: f32, limit: u32) {
    let col = block_idx().x * block_dim().x + thread_idx().x;
    let row = block_idx().y * block_dim().y + thread_idx().y;
    if col < width && row < height {
        let c = corner + Complex { re: col as f32 * pitch, im: row as f32 * pitch };
        times[row * width + col] = escape_time(c, limit);
    }
}
