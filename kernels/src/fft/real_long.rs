//! Long real rows, as matrices of complex numbers: the launch that transforms rows also joins the halves of spectra, and for the inverse the one
//! that transforms columns splits them.
//!
//! Element `k` of a spectrum is made together with the element as far from the other end. If a matrix has `side` sequences, sequence `s` has the
//! one and sequence `side - s` the other, so a block takes both. Sequence 0 and the one in the middle each have both elements themselves; a block
//! takes these two as a pair, too.

use warpsmith::prelude::*;

use super::Complex32;
use super::halves::{Pair, ends, joined, of_ends, split};
use super::kernel::MOST_THREADS;
use super::passes::{Exchange, share, transform_all};
use super::radix::{BITS, ELEMENTS as N, reversed, spread};
use super::sequences::{Sequences, Span, load, store};

/// A pair of sequences, and the elements of it that a thread takes.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Ends {
    /// Where the half of the spectrum begins.
    start: usize,
    /// Elements of the complex row, as a power of two.
    log_row: u32,
    /// Whether the call has such a row: the last block may have fewer pairs.
    is_there: bool,
    /// The number of the pair in the block.
    place: u32,
    /// The number of its first sequence in the row: 0 is paired with the one in the middle.
    column: u32,
    /// The thread's first element of that sequence.
    e: u32,
}

/// Two elements: one as far from the beginning of a row as the other is from its end.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
struct Two {
    /// How far.
    k: usize,
    /// Where they are in shared memory.
    first: usize,
    last: usize,
}

/// The number of sequence `s` of a block that begins with pair `first`. Those of the first half are followed by what they are paired with.
#[gpu_fn]
fn sequence(of: Span, of_block: u32, first: usize, s: usize) -> usize {
    let (half, side) = (1usize << (of_block - 1), 1usize << of.shift);
    let pair = first + (s & (half - 1));
    let (row, column) = (pair >> (of.shift - 1), pair & (side / 2 - 1));
    let paired = if column == 0 { side / 2 } else { side - column };
    (row << of.shift) + if s < half { column } else { paired }
}

/// The pair that a thread takes elements of. Neighbouring threads have neighbouring pairs.
#[gpu_fn]
fn ends_of_rows(at: Sequences, of: Span, first: usize, log: u32) -> Ends {
    let bits = at.of_block - 1;
    let t = thread_idx().x;
    let place = t & ((1u32 << bits) - 1);
    let pair = first + place as usize;
    let row = pair >> (of.shift - 1);
    Ends {
        start: of.base + row * of.outer,
        log_row: log + of.shift,
        is_there: row << of.shift < at.count,
        place,
        column: pair as u32 & ((1u32 << (of.shift - 1)) - 1),
        e: t >> bits,
    }
}

/// Number `m` of the thread's pairs of elements, of sequences of `2^log`. `row` and `half` say how far elements and the second half of
/// the block's sequences are apart in shared memory.
#[gpu_fn]
fn two(of: Ends, m: usize, log: u32, row: u32, half: u32) -> Two {
    let len = 1u32 << log;
    let e = of.e + m as u32 * (2 * len / N as u32);
    let side = of.log_row - log;
    // In one row of the matrix, elements are paired with those of the same sequence: the first ones, and then those of the middle.
    let is_own = of.column == 0;
    let is_middle = m >= N / 4;
    let e = if is_own && is_middle { e - len / 2 } else { e };
    let other = if is_own && !is_middle { len - e } else { len - 1 - e };
    let column = if is_own && is_middle { 1u32 << (side - 1) } else { of.column };
    let [a, b] = if is_own { if is_middle { [half, half] } else { [0, 0] } } else { [0, half] };
    Two {
        k: (column + (e << side)) as usize,
        first: (spread(e, 16) * row + of.place + a) as usize,
        last: (spread(other, 16) * row + of.place + b) as usize,
    }
}

/// `exp(-πi * k / len)` for the thread's pairs of elements of a row, in the first half of the array.
#[gpu_fn]
fn roots(of: Ends, log: u32) -> [Complex32; N] {
    let (side, all) = (of.log_row - log, (1u32 << of.log_row) as f32);
    let column = if of.column == 0 { 1u32 << (side - 1) } else { of.column + (1u32 << (of.log_row - 1)) };
    let first = Complex32::unit((of.column + (of.e << side)) as f32 / all);
    let second = Complex32::unit((column + (of.e << side)) as f32 / all);
    let mut roots = [first; N];
    #[unroll]
    for m in 0..N / 4 {
        roots[m] = first.turned(m * (32 / N));
        roots[m + N / 4] = second.turned(m * (32 / N));
    }
    roots
}

/// `y` gets the halves of spectra of real rows: `x` has their matrices, whose columns have been transformed, and whose rows of `2^log` elements
/// are the sequences. A thread has 16 of their elements.
#[gpu_kernel(launch_bounds(MOST_THREADS, 2), noalias)]
pub fn rfft_join_rows(x: &[Complex32], y: &mut [Complex32], at: Sequences, #[comptime] log: u32) {
    let mut memory = dynamic_shared::<Complex32>();
    let at = Sequences { from: at.from.side_by_side(), ..at };
    let (of_block, len) = (1u32 << at.of_block, 1u32 << log);
    let threads = len / N as u32;
    let (mine, last) =
        (share(false, at.of_block, threads as usize), share(true, at.of_block, threads as usize));
    let first = block_idx().x as usize * (of_block / 2) as usize;
    let group = sequence(at.from, at.of_block, first, mine.sequence);
    let mut elements = load::<N>(x, at, group, mine.j, log, false);
    let row = of_block + 1;
    transform_all::<N>(&mut elements, &mut memory, mine, last, Exchange { row, apart: 1, threads }, log);
    sync_threads();
    #[unroll]
    for k in 0..N {
        let e = reversed(k, BITS) as u32 * threads + last.j as u32;
        let i = (spread(e, 16) * row) as usize + last.sequence;
        assume(i < memory.len());
        memory[i] = elements[k].scaled(at.factor);
    }
    sync_threads();
    let of = ends_of_rows(at, at.to, first, log);
    let roots = roots(of, log);
    if of.is_there {
        let all = 1usize << of.log_row;
        #[unroll]
        for m in 0..N / 2 {
            let at = two(of, m, log, row, of_block / 2);
            assume(at.first < memory.len());
            if m == 0 && at.k == 0 {
                let middle = (spread(len / 2, 16) * row + of.place) as usize;
                assume(middle < memory.len());
                assume(of.start < y.len() && of.start + all / 2 < y.len() && of.start + all < y.len());
                let Pair { first, last } = ends(memory[at.first]);
                y[of.start] = first;
                y[of.start + all] = last;
                y[of.start + all / 2] = memory[middle].conjugate();
            } else {
                let (front, back) = (of.start + at.k, of.start + all - at.k);
                assume(at.last < memory.len() && front < y.len() && back < y.len());
                let Pair { first, last } = joined(memory[at.first], memory[at.last], roots[m]);
                y[front] = first;
                y[back] = last;
            }
        }
    }
}

/// `y` gets matrices of complex rows, whose columns of `2^log` elements are transformed, and turned for the transforms of their rows. `x` has the
/// halves of the spectra of the real rows that they stand for.
#[gpu_kernel(launch_bounds(MOST_THREADS, 2), noalias)]
pub fn irfft_split_columns(x: &[Complex32], y: &mut [Complex32], at: Sequences, #[comptime] log: u32) {
    let mut memory = dynamic_shared::<Complex32>();
    let (row, len) = (1u32 << at.of_block, 1u32 << log);
    let threads = len / N as u32;
    let mine = share(true, at.of_block, threads as usize);
    let first = block_idx().x as usize * (row / 2) as usize;
    let of = ends_of_rows(at, at.from, first, log);
    let roots = roots(of, log);
    if of.is_there {
        let all = 1usize << of.log_row;
        #[unroll]
        for m in 0..N / 2 {
            let at = two(of, m, log, row, row / 2);
            assume(at.first < memory.len());
            if m == 0 && at.k == 0 {
                let middle = (spread(len / 2, 16) * row + of.place) as usize;
                assume(middle < memory.len());
                assume(of.start < x.len() && of.start + all / 2 < x.len() && of.start + all < x.len());
                memory[at.first] = of_ends(x[of.start], x[of.start + all]);
                memory[middle] = x[of.start + all / 2].conjugate();
            } else {
                let (front, back) = (of.start + at.k, of.start + all - at.k);
                assume(at.last < memory.len() && front < x.len() && back < x.len());
                let Pair { first, last } = split(x[front], x[back], roots[m]);
                memory[at.first] = first;
                memory[at.last] = last;
            }
        }
    }
    sync_threads();
    let group = sequence(at.from, at.of_block, first, mine.sequence);
    let mut elements = [Complex32::ZERO; N];
    // Of pairs beyond the last row there is nothing in shared memory.
    if group < at.count {
        #[unroll]
        for k in 0..N {
            let e = k as u32 * threads + mine.j as u32;
            let i = (spread(e, 16) * row) as usize + mine.sequence;
            assume(i < memory.len());
            elements[k] = memory[i].exchanged();
        }
    }
    sync_threads();
    transform_all::<N>(&mut elements, &mut memory, mine, mine, Exchange { row, apart: 1, threads }, log);
    store::<N>(y, at, group, mine.j, log, true, false, &elements);
}
