//! Short transforms in the registers of a thread.

use warpsmith::prelude::*;

use super::Complex32;

/// Elements of a thread.
pub(super) const ELEMENTS: usize = 1 << BITS;
/// Bits of the number of an element of a thread.
pub(super) const BITS: u32 = 4;

/// Transforms `16 / 2^log` sequences of `2^log` elements each. Element `r` of sequence `m` is number `m + r * 16 / 2^log`.
///
/// Element `place` of a result is element number [`reversed`]`(place, log)` of the spectrum.
#[gpu_fn]
pub(super) fn transform(elements: &mut [Complex32; ELEMENTS], log: u32) {
    let apart = ELEMENTS >> log;
    #[unroll]
    for stage in 0..log {
        // Halves of sequences, which get shorter: sums go to the first half, and differences, turned, to the second.
        let half = (1usize << log) >> (stage + 1);
        #[unroll]
        for i in 0..ELEMENTS / 2 {
            let (m, pair) = (i % apart, i / apart);
            let (group, k) = (pair / half, pair % half);
            let first = (group * 2 * half + k) * apart + m;
            let second = first + half * apart;
            let (a, b) = (elements[first], elements[second]);
            elements[first] = a.plus(b);
            elements[second] = a.minus(b).turned(k * 8 / half);
        }
    }
}

/// `place` with its `log` bits in the opposite order.
#[gpu_fn]
pub(super) fn reversed(place: usize, log: u32) -> usize {
    let all = (place & 1) << 3 | (place & 2) << 1 | (place & 4) >> 1 | (place & 8) >> 3;
    all >> (4 - log)
}

/// The powers of a number, each by few products.
#[gpu_fn]
pub(super) fn powers(root: Complex32) -> [Complex32; ELEMENTS] {
    let mut powers = [root; ELEMENTS];
    powers[0] = Complex32 { re: 1.0, im: 0.0 };
    #[unroll]
    for r in 2..ELEMENTS {
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
pub(super) fn next_of_pass(k: usize, threads: u32, size: u32, log_radix: u32) -> u32 {
    let (m, place) = (k % (ELEMENTS >> log_radix), k / (ELEMENTS >> log_radix));
    ((m as u32 * threads) << log_radix) + reversed(place, log_radix) as u32 * size
}

/// Where element `e` is in shared memory, in which one is left out behind every `every`. Of a sum of numbers with different bits, it is
/// the sum.
#[gpu_fn]
pub(super) fn spread(e: u32, every: u32) -> u32 {
    e + e / every
}

/// The angle of the root of unity between two passes for thread `j`, in half turns, below an eighth; spectra have `2^before` elements after
/// the first.
#[gpu_fn]
pub(super) fn angle(j: u32, before: u32) -> f32 {
    // Two by the elements of what the pass makes: `2^-(before + 3)`.
    (j % (1u32 << before)) as f32 * f32::from_bits((127 - (BITS - 1) - before) << 23)
}

/// Multiplies elements by the powers of a root.
#[gpu_fn]
pub(super) fn turn(elements: &mut [Complex32; ELEMENTS], root: Complex32) {
    let powers = powers(root);
    #[unroll]
    for k in 1..ELEMENTS {
        elements[k] = elements[k].times(powers[k]);
    }
}
