//! Spectra of real rows, whose halves say everything: made of spectra of complex rows of half the length, and these made of them.
//!
//! A complex row of half the length has the even elements of a real one as real parts, and the odd ones as imaginary parts. The spectra of
//! both parts can be told from each other by their symmetry.

use warpsmith::prelude::*;

use super::Complex32;

/// Threads of a block.
pub const THREADS: u32 = 256;

/// The rows of a launch that copies them; distances are in elements.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
pub struct HalfRows {
    /// Their number.
    pub count: usize,
    /// Elements of a complex row, as a power of two.
    pub log: u32,
    /// From one real row to the next. Complex rows follow one another without gaps.
    pub apart: usize,
}

/// Two elements of a row and of a half of a spectrum: those as far from the beginning and from the end.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub(super) struct Pair {
    pub first: Complex32,
    pub last: Complex32,
}

/// The first and the last element of the half of a real row's spectrum, of the first element of the complex row's.
#[gpu_fn]
pub(super) fn ends(first: Complex32) -> Pair {
    let (even, odd) = (first.re, first.im);
    Pair { first: Complex32 { re: even + odd, im: 0.0 }, last: Complex32 { re: even - odd, im: 0.0 } }
}

/// The inverse of [`ends`], for which imaginary parts do not count.
#[gpu_fn]
pub(super) fn of_ends(first: Complex32, last: Complex32) -> Complex32 {
    Complex32 { re: (first.re + last.re) * 0.5, im: (first.re - last.re) * 0.5 }
}

/// Elements of a real row's spectrum, as far from both ends as `a` and `b` are in the complex row's: `root` is `exp(-πi * k / len)` for a
/// distance `k`.
#[gpu_fn]
pub(super) fn joined(a: Complex32, b: Complex32, root: Complex32) -> Pair {
    let Pair { first, last } = halves(a, b);
    let turned = last.turned(8).times(root);
    Pair { first: first.plus(turned), last: first.minus(turned).conjugate() }
}

/// The inverse of [`joined`].
#[gpu_fn]
pub(super) fn split(a: Complex32, b: Complex32, root: Complex32) -> Pair {
    let Pair { first, last } = halves(a, b);
    // Times the imaginary unit: turned back by a quarter, and negative.
    let turned = last.times(root.conjugate()).turned(8);
    Pair { first: first.minus(turned), last: first.plus(turned).conjugate() }
}

/// Half of the sum and half of the difference of a number and the conjugate of another.
#[gpu_fn]
fn halves(a: Complex32, b: Complex32) -> Pair {
    Pair { first: a.plus(b.conjugate()).scaled(0.5), last: a.minus(b.conjugate()).scaled(0.5) }
}

/// Real rows as complex rows of half the length.
#[gpu_kernel(launch_bounds(THREADS), noalias)]
pub fn fft_pair_up(x: &[f32], z: &mut [Complex32], rows: HalfRows) {
    let i = global_id();
    let (row, k) = (i >> rows.log, i & ((1usize << rows.log) - 1));
    if row < rows.count {
        let from = row * rows.apart + 2 * k;
        z[i] = Complex32 { re: x[from], im: x[from + 1] };
    }
}

/// Complex rows of half the length as real rows.
#[gpu_kernel(launch_bounds(THREADS), noalias)]
pub fn fft_take_apart(z: &[Complex32], y: &mut [f32], rows: HalfRows) {
    let i = global_id();
    let (row, k) = (i >> rows.log, i & ((1usize << rows.log) - 1));
    if row < rows.count {
        let (to, pair) = (row * rows.apart + 2 * k, z[i]);
        y[to] = pair.re;
        y[to + 1] = pair.im;
    }
}
