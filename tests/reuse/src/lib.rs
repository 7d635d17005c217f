//! Device code in a crate of its own: what kernels of other crates call, implement and hold.

use warpsmith::prelude::*;

pub mod geometry;
pub mod reduce;
pub mod state;
pub mod turns;

/// The largest number of steps of [`newton`].
pub const STEPS: u32 = 20;

/// Factors of a smooth step, highest power first.
pub const SMOOTH: [f32; 4] = [-2.0, 3.0, 0.0, 0.0];

/// A root of `f` near `start`, whose derivative is `slope`; `None` if the steps do not settle.
#[gpu_fn]
pub fn newton<T: Float>(start: T, f: impl Fn(T) -> T, slope: impl Fn(T) -> T) -> Option<T> {
    let mut x = start;
    for _ in 0..STEPS {
        let next = x - f(x) / slope(x);
        if (next - x).abs() <= T::HIGHEST.recip() {
            return Some(next);
        }
        x = next;
    }
    None
}

/// `3x² - 2x³` between 0 and 1.
#[gpu_fn]
pub fn smooth_step(x: f32) -> f32 {
    let x = x.clamp(0.0, 1.0);
    let mut y = 0.0;
    for k in 0..4usize {
        y = y * x + SMOOTH[k];
    }
    y
}

/// Scales by a factor that its own private function chooses.
#[gpu_fn]
pub fn weighted(x: &mut [f32], at: usize) {
    x[at] *= factor(at as u32);
}

#[gpu_fn]
fn factor(at: u32) -> f32 {
    if at.is_multiple_of(2) { state::GAIN[0] } else { state::GAIN[1] }
}

/// Bit reversal by one instruction.
#[gpu_fn(ptx = "brev.b32 {ret}, {x};", pure)]
pub fn reversed(x: u32) -> u32 {
    x.reverse_bits()
}

/// A kernel for other crates to launch.
#[gpu_kernel]
pub fn scaled<T: Num>(x: &[T], by: T, out: &mut [T]) {
    let i = global_id();
    if i < x.len() && i < out.len() {
        out[i] = x[i] * by;
    }
}
