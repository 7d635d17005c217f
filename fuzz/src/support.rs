//! Device functions that every generated kernel may call: hashing, closures, generics, methods.

use warpsmith::prelude::*;

/// Folds a word into a hash.
#[gpu_fn]
pub fn mix(h: u64, v: u64) -> u64 {
    (h ^ v).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}

/// The bits of a number; one pattern for every NaN, whose bits Rust leaves open.
#[gpu_fn]
pub fn bits32(x: f32) -> u32 {
    if x.is_nan() { 0x7fc0_0000 } else { x.to_bits() }
}

/// The bits of a number; one pattern for every NaN.
#[gpu_fn]
pub fn bits64(x: f64) -> u64 {
    if x.is_nan() { 0x7ff8_0000_0000_0000 } else { x.to_bits() }
}

/// The number, or 1.5 instead of a NaN, whose sign Rust leaves open.
#[gpu_fn]
pub fn real32(x: f32) -> f32 {
    if x.is_nan() { 1.5 } else { x }
}

/// The number, or 1.5 instead of a NaN.
#[gpu_fn]
pub fn real64(x: f64) -> f64 {
    if x.is_nan() { 1.5 } else { x }
}

/// A polynomial on any number type.
#[gpu_fn]
pub fn poly<T: Num>(a: T, b: T) -> T {
    let mut sum = a * b;
    sum += a;
    if sum > b { sum - T::ONE } else { sum * b + a }
}

/// `f` applied `n` times.
#[gpu_fn]
pub fn iterate<T: Num, F: Fn(T) -> T>(start: T, n: u32, f: F) -> T {
    let mut value = start;
    for _ in 0..n {
        value = f(value);
    }
    value
}

/// Calls `f` with each number below `n`.
#[gpu_fn]
pub fn each<F: FnMut(u32)>(n: u32, mut f: F) {
    for i in 0..n {
        f(i);
    }
}

/// One of two closures, on two arguments.
#[gpu_fn]
pub fn choose<T: Num, F: Fn(T, u32) -> T, G: Fn(T, u32) -> T>(first: bool, x: T, n: u32, f: F, g: G) -> T {
    if first {
        return f(x, n);
    }
    g(x, n + 1)
}

/// Two numbers.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
pub struct Pair<T> {
    /// The first.
    pub x: T,
    /// The second.
    pub y: T,
}

#[gpu_impl]
impl<T: Num> Pair<T> {
    /// Scalar product.
    pub fn dot(self, other: Pair<T>) -> T {
        self.x * other.x + self.y * other.y
    }

    /// Sum of the numbers.
    pub fn sum(&self) -> T {
        self.x + self.y
    }

    /// Adds to both, and gives the first as it was.
    pub fn shift(&mut self, by: T) -> T {
        let old = self.x;
        self.x += by;
        self.y -= by;
        old
    }

    /// Exchanges the numbers.
    #[allow(clippy::manual_swap, reason = "`std::mem::swap` is no device function")]
    pub fn swap(&mut self) {
        let x = self.x;
        self.x = self.y;
        self.y = x;
    }
}
