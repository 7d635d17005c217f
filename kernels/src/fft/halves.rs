//! Spectra of real rows, whose halves say everything: made of spectra of complex rows of half the length, and these made of them.
//!
//! A complex row of half the length has the even elements of a real one as real parts, and the odd ones as imaginary parts. The spectra of
//! both parts can be told from each other by their symmetry.

use warpsmith::prelude::*;

use super::Complex32;

/// Threads of a block.
pub const THREADS: u32 = 256;

/// The rows of a launch; distances are in elements.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
pub struct HalfRows {
    /// Their number.
    pub count: usize,
    /// Elements of a complex row, as a power of two. The half of a real row's spectrum has one more.
    pub log: u32,
    /// From one half of a spectrum to the next.
    pub spectra: usize,
    /// From one complex row to the next.
    pub rows: usize,
}

/// Two elements of a row and of a half of a spectrum: those as far from the beginning and from the end.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub(super) struct Pair {
    pub first: Complex32,
    pub last: Complex32,
}

/// A thread's place: its row, and the distance of its elements from both ends.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Place {
    row: usize,
    k: usize,
}

#[gpu_impl]
impl HalfRows {
    /// The place of the calling thread. There are as many places in a row as pairs, of which the first has an element by itself.
    fn place(self) -> Place {
        let (i, bits) = (global_id(), self.log.max(1) - 1);
        Place { row: i >> bits, k: i & ((1usize << bits) - 1) }
    }
}

/// The halves of spectra of real rows, in place of the spectra of complex rows of half the length. A thread has two elements.
#[gpu_kernel(launch_bounds(THREADS))]
pub fn fft_join_halves(y: &mut [Complex32], rows: HalfRows) {
    let (len, Place { row, k }) = (1usize << rows.log, rows.place());
    if row < rows.count {
        let start = row * rows.spectra;
        if k == 0 {
            let Pair { first, last } = ends(y[start]);
            y[start] = first;
            y[start + len] = last;
            if len > 1 {
                y[start + len / 2] = y[start + len / 2].conjugate();
            }
        } else {
            let Pair { first, last } =
                joined(y[start + k], y[start + len - k], Complex32::unit(k as f32 / len as f32));
            y[start + k] = first;
            y[start + len - k] = last;
        }
    }
}

/// The spectra of complex rows of half the length, `z`, of the halves of spectra of real rows. A thread has two elements.
#[gpu_kernel(launch_bounds(THREADS), noalias)]
pub fn fft_split_halves(x: &[Complex32], z: &mut [Complex32], rows: HalfRows) {
    let (len, Place { row, k }) = (1usize << rows.log, rows.place());
    if row < rows.count {
        let (from, to) = (row * rows.spectra, row * rows.rows);
        if k == 0 {
            z[to] = of_ends(x[from], x[from + len]);
            if len > 1 {
                z[to + len / 2] = x[from + len / 2].conjugate();
            }
        } else {
            let Pair { first, last } =
                split(x[from + k], x[from + len - k], Complex32::unit(k as f32 / len as f32));
            z[to + k] = first;
            z[to + len - k] = last;
        }
    }
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

/// Real rows as complex rows of half the length. `rows.spectra` counts the elements from one real row to the next.
#[gpu_kernel(launch_bounds(THREADS), noalias)]
pub fn fft_pair_up(x: &[f32], z: &mut [Complex32], rows: HalfRows) {
    let (i, len) = (global_id(), 1usize << rows.log);
    let (row, k) = (i >> rows.log, i & (len - 1));
    if row < rows.count {
        let from = row * rows.spectra + 2 * k;
        z[row * rows.rows + k] = Complex32 { re: x[from], im: x[from + 1] };
    }
}

/// Complex rows of half the length as real rows. `rows.spectra` counts the elements from one real row to the next.
#[gpu_kernel(launch_bounds(THREADS), noalias)]
pub fn fft_take_apart(z: &[Complex32], y: &mut [f32], rows: HalfRows) {
    let (i, len) = (global_id(), 1usize << rows.log);
    let (row, k) = (i >> rows.log, i & (len - 1));
    if row < rows.count {
        let (to, pair) = (row * rows.spectra + 2 * k, z[row * rows.rows + k]);
        y[to] = pair.re;
        y[to + 1] = pair.im;
    }
}
