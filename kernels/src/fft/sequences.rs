//! Where sequences and their spectra are, and how threads load and store them.

use warpsmith::prelude::*;

use super::Complex32;
use super::radix::{powers, reversed};

/// Where the elements of sequences are: element `e` of sequence `s` is number
/// `base + s / 2^shift * outer + s % 2^shift * inner + e * step`.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
pub struct Span {
    /// The number of the first element.
    pub base: usize,
    /// Sequences of a row, as a power of two.
    pub shift: u32,
    /// From one row to the next.
    pub outer: usize,
    /// From one sequence of a row to the next.
    pub inner: usize,
    /// From one element to the next.
    pub step: usize,
}

/// The sequences of a launch.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
pub struct Sequences {
    /// Their number.
    pub count: usize,
    /// Sequences of a block, as a power of two: groups of short ones.
    pub of_block: u32,
    /// What each element of a spectrum is multiplied by.
    pub factor: f32,
    /// Two by the length of the rows that the sequences are columns of, if spectra are turned.
    pub turn: f32,
    /// Where the sequences are.
    pub from: Span,
    /// Where the spectra go.
    pub to: Span,
}

impl Span {
    /// Rows that are a number of elements apart, each of which is a sequence.
    pub(super) fn of_rows(apart: usize) -> Self {
        Self { base: 0, shift: 0, outer: apart, inner: 0, step: 1 }
    }
}

#[gpu_impl]
impl Sequences {
    /// The same, where sequences and spectra are known to be rows.
    pub(super) fn of_rows(self) -> Self {
        Self { from: self.from.side_by_side(), to: self.to.side_by_side(), ..self }
    }
}

#[gpu_impl]
impl Span {
    /// The same, where elements are known to lie side by side: an address and constants are those of all elements.
    pub(super) fn side_by_side(self) -> Self {
        Self { step: 1, ..self }
    }

    /// The number of element 0 of a sequence.
    pub(super) fn start(self, sequence: usize) -> usize {
        self.base + (sequence >> self.shift) * self.outer + self.column(sequence) * self.inner
    }

    /// The number of element `i` of sequences of `2^log` elements, which are counted through from sequence `first` on.
    pub(super) fn element(self, first: usize, i: usize, log: u32) -> usize {
        // Sequences that follow one another without gaps.
        if self.shift == 0 && self.outer == 1 << log && self.step == 1 {
            self.base + (first << log) + i
        } else {
            self.start(first + (i >> log)) + (i & ((1usize << log) - 1)) * self.step
        }
    }

    /// The number of a sequence in its row.
    fn column(self, sequence: usize) -> usize {
        sequence & ((1usize << self.shift) - 1)
    }
}

/// The elements of a thread of group number `group`: those from `j` on, a thread's share apart. A group is a sequence, or as many short
/// ones as have `N` elements together.
#[gpu_fn]
pub(super) fn load<const N: usize>(
    x: &[Complex32],
    at: Sequences,
    group: usize,
    j: usize,
    log: u32,
    exchanges: bool,
) -> [Complex32; N] {
    let mut elements = [Complex32 { re: 0.0, im: 0.0 }; N];
    let (short, threads) = (N >> log.min(N.ilog2()), ((1usize << log) / N).max(1));
    // Behind the last sequence are its copies, which nobody stores.
    let first = at.from.start((group * short).min(at.count - 1)) + j * at.from.step;
    let apart = threads * at.from.step;
    #[unroll]
    for k in 0..N {
        let start =
            if short == 1 { first } else { at.from.start((group * short + k % short).min(at.count - 1)) };
        let i = start + k / short * apart;
        assume(i < x.len());
        elements[k] = if exchanges { x[i].exchanged() } else { x[i] };
    }
    elements
}

/// Stores what [`load`] loads, transformed: element `place` of each sequence is element number [`reversed`] of its spectrum.
#[gpu_fn]
#[allow(clippy::too_many_arguments, reason = "those of the kernel, and the thread's share")]
pub(super) fn store<const N: usize>(
    y: &mut [Complex32],
    at: Sequences,
    group: usize,
    j: usize,
    log: u32,
    is_turned: bool,
    exchanges: bool,
    elements: &[Complex32; N],
) {
    let bits = log.min(N.ilog2());
    let (short, threads) = (N >> bits, ((1usize << log) / N).max(1));
    let mut first = Complex32 { re: 1.0, im: 0.0 };
    let mut turns = [first; N];
    if is_turned {
        // Products of numbers below 2^10, by a power of two: they are exact.
        let column = at.from.column(group) as f32;
        first = Complex32::unit(j as f32 * column * at.turn);
        turns = powers::<N>(Complex32::unit(threads as f32 * column * at.turn));
    }
    let mut results = *elements;
    #[unroll]
    for k in 0..N {
        results[k] = elements[k].scaled(at.factor);
        if is_turned {
            results[k] = results[k].times(first.times(turns[reversed(k / short, bits)]));
        }
        if exchanges {
            results[k] = results[k].exchanged();
        }
    }
    let start = at.to.start(group * short) + j * at.to.step;
    let apart = threads * at.to.step;
    #[unroll]
    for k in 0..N {
        let sequence = group * short + k % short;
        if sequence < at.count {
            let start = if short == 1 { start } else { at.to.start(sequence) };
            let i = start + reversed(k / short, bits) * apart;
            assume(i < y.len());
            y[i] = results[k];
        }
    }
}
