//! Short transforms in the registers of a thread.

use warpsmith::prelude::*;

use super::Complex32;

/// Elements of a thread, unless a kernel has another number `N` of them, a power of two of up to 32.
pub(super) const ELEMENTS: usize = 1 << BITS;
/// Bits of the number of an element of a thread.
pub(super) const BITS: u32 = 4;

/// Transforms `N / 2^log` sequences of `2^log` elements each. Element `r` of sequence `m` is number `m + r * N / 2^log`.
///
/// Element `place` of a result is element number [`reversed`]`(place, log)` of the spectrum.
#[gpu_fn]
pub(super) fn transform<const N: usize>(elements: &mut [Complex32; N], log: u32) {
    let apart = N >> log;
    #[unroll]
    for stage in 0..log {
        // Halves of sequences, which get shorter: sums go to the first half, and differences, turned, to the second.
        let half = (1usize << log) >> (stage + 1);
        #[unroll]
        for i in 0..N / 2 {
            let (m, pair) = (i % apart, i / apart);
            let (group, k) = (pair / half, pair % half);
            let first = (group * 2 * half + k) * apart + m;
            let second = first + half * apart;
            let (a, b) = (elements[first], elements[second]);
            elements[first] = a.plus(b);
            elements[second] = a.minus(b).turned(k * 16 / half);
        }
    }
}

/// `place` with its `log` bits, of which there are up to five, in the opposite order.
#[gpu_fn]
pub(super) fn reversed(place: usize, log: u32) -> usize {
    let all = (place & 1) << 4 | (place & 2) << 2 | place & 4 | (place & 8) >> 2 | (place & 16) >> 4;
    all >> (5 - log)
}

/// The powers of a number, each by few products.
#[gpu_fn]
pub(super) fn powers<const N: usize>(root: Complex32) -> [Complex32; N] {
    let mut powers = [root; N];
    powers[0] = Complex32 { re: 1.0, im: 0.0 };
    #[unroll]
    for r in 2..N {
        powers[r] = powers[r / 2].times(powers[r - r / 2]);
    }
    powers
}

/// Where a thread stores its first element for the next pass: thread `j`, after a pass that has made spectra of `size << log_radix` elements
/// of spectra of `size`. The others are [`next_of_pass`] behind it.
#[gpu_fn]
pub(super) fn first_of_pass(j: u32, size: u32, log_radix: u32) -> u32 {
    ((j / size * size) << log_radix) + j % size
}

/// How far behind its first element a thread, one of `threads`, stores number `k`. The bits of both are different ones.
#[gpu_fn]
pub(super) fn next_of_pass<const N: usize>(k: usize, threads: u32, size: u32, log_radix: u32) -> u32 {
    let (m, place) = (k % (N >> log_radix), k / (N >> log_radix));
    ((m as u32 * threads) << log_radix) + reversed(place, log_radix) as u32 * size
}

/// Where element `e` is in shared memory, in which one is left out behind every `every`. Of a sum of numbers with different bits, it is
/// the sum.
#[gpu_fn]
pub(super) fn spread(e: u32, every: u32) -> u32 {
    e + e / every
}

/// The angle of the root of unity between two passes for thread `j`, in half turns, below `2 / N`; spectra have `2^before` elements after
/// the first.
#[gpu_fn]
pub(super) fn angle<const N: usize>(j: u32, before: u32) -> f32 {
    // Two by the elements of what the pass makes: `2^(1 - log2(N) - before)`.
    (j % (1u32 << before)) as f32 * f32::from_bits((127 + 1 - N.ilog2() - before) << 23)
}

/// Multiplies elements by the powers of a root.
#[gpu_fn]
pub(super) fn turn<const N: usize>(elements: &mut [Complex32; N], root: Complex32) {
    let powers = powers::<N>(root);
    #[unroll]
    for k in 1..N {
        elements[k] = elements[k].times(powers[k]);
    }
}
