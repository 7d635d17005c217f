//! Real rows that a block transforms whole, in one launch: the spectra of complex rows of half the length are joined, or split, in shared
//! memory.

use warpsmith::prelude::*;

use super::Complex32;
use super::blocks::{load_block, of_block_memory, store_block, to_block_memory};
use super::half_blocks::{load_halves, store_halves};
use super::halves::{Pair, ends, joined, of_ends, split};
use super::kernel::MOST_THREADS;
use super::passes::{Exchange, Share, share, transform_all};
use super::radix::{reversed, spread};
use super::sequences::{Sequences, load, store};

/// Bits of the longest complex rows whose halves of spectra go through shared memory: threads would use parts of sectors.
const STAGED: u32 = 7;
/// Bits of the longest complex rows that go through shared memory too. Those of longer ones fill sectors.
const SHORT: u32 = 6;

/// `y` gets the halves of spectra of real rows, `2^log + 1` elements each, times a factor. `x` has the rows as complex ones of `2^log`
/// elements. A thread has `N` of them, which is even: they are pairs of elements at equal distances from the two ends of a row.
#[gpu_kernel(launch_bounds(MOST_THREADS, { 32 / N }), noalias)]
pub fn rfft_rows<const N: usize>(x: &[Complex32], y: &mut [Complex32], at: Sequences, #[comptime] log: u32) {
    let mut memory = dynamic_shared::<Complex32>();
    let at = at.of_rows();
    let len = 1u32 << log;
    let threads = len / N as u32;
    let mine = share(false, at.of_block, threads as usize);
    let first = block_idx().x as usize * (1usize << at.of_block);
    let mut elements = if log <= SHORT {
        load_block::<N>(x, at, first, log, false, &mut memory);
        of_block_memory::<N>(&memory, mine.sequence, mine.j, log)
    } else {
        load::<N>(x, at, first + mine.sequence, mine.j, log, false)
    };
    let apart = spread(len, 16);
    transform_all::<N>(&mut elements, &mut memory, mine, mine, Exchange { row: 1, apart, threads }, log);
    // The spectrum of the complex row, in order.
    let base = mine.sequence as u32 * apart;
    sync_threads();
    #[unroll]
    for k in 0..N {
        let e = reversed(k, N.ilog2()) as u32 * threads + mine.j as u32;
        let i = base + if log <= STAGED { e } else { spread(e, 16) };
        assume((i as usize) < memory.len());
        memory[i] = elements[k].scaled(at.factor);
    }
    sync_threads();
    let roots = roots::<N>(mine, threads);
    if log <= STAGED {
        let both_ends = |memory: &mut [Complex32], first: usize, last: usize| {
            let both = ends(memory[first]);
            memory[first] = both.first;
            memory[last] = both.last;
        };
        replace_pairs::<N>(&mut memory, base, len, mine.j as u32, roots, both_ends, joined);
        sync_threads();
        store_halves::<N>(y, at, first, log, &memory);
    } else if first + mine.sequence < at.count {
        let start = at.to.start(first + mine.sequence);
        let element = |e: u32| memory[base + spread(e, 16)];
        #[unroll]
        for m in 0..N / 2 {
            let k = m as u32 * threads + mine.j as u32;
            if k == 0 {
                let Pair { first, last } = ends(element(0));
                y[start] = first;
                y[start + len as usize] = last;
                y[start + len as usize / 2] = element(len / 2).conjugate();
            } else {
                let Pair { first, last } = joined(element(k), element(len - k), roots[m]);
                y[start + k as usize] = first;
                y[start + (len - k) as usize] = last;
            }
        }
    }
}

/// `y` gets the real rows, as complex ones of `2^log` elements, whose halves of spectra are the rows of `x`, of `2^log + 1` elements, times a
/// factor. `N` is that of [`rfft_rows`](struct@rfft_rows).
#[gpu_kernel(launch_bounds(MOST_THREADS, { 32 / N }), noalias)]
pub fn irfft_rows<const N: usize>(x: &[Complex32], y: &mut [Complex32], at: Sequences, #[comptime] log: u32) {
    let mut memory = dynamic_shared::<Complex32>();
    let at = at.of_rows();
    let len = 1u32 << log;
    let threads = len / N as u32;
    let mine = share(false, at.of_block, threads as usize);
    let first = block_idx().x as usize * (1usize << at.of_block);
    let apart = spread(len, 16);
    let base = mine.sequence as u32 * apart;
    let roots = roots::<N>(mine, threads);
    if log <= STAGED {
        load_halves::<N>(x, at, first, log, &mut memory);
        let first_of_ends = |memory: &mut [Complex32], first: usize, last: usize| {
            memory[first] = of_ends(memory[first], memory[last]);
        };
        replace_pairs::<N>(&mut memory, base, len, mine.j as u32, roots, first_of_ends, split);
    } else {
        // Behind the last row are its copies, which nobody stores.
        let start = at.from.start((first + mine.sequence).min(at.count - 1));
        #[unroll]
        for m in 0..N / 2 {
            let k = m as u32 * threads + mine.j as u32;
            if k == 0 {
                memory[base] = of_ends(x[start], x[start + len as usize]);
                memory[base + spread(len / 2, 16)] = x[start + len as usize / 2].conjugate();
            } else {
                let Pair { first, last } =
                    split(x[start + k as usize], x[start + (len - k) as usize], roots[m]);
                memory[base + spread(k, 16)] = first;
                memory[base + spread(len - k, 16)] = last;
            }
        }
    }
    sync_threads();
    let mut elements = [Complex32::ZERO; N];
    #[unroll]
    for k in 0..N {
        let e = k as u32 * threads + mine.j as u32;
        let i = base + if log <= STAGED { e } else { spread(e, 16) };
        assume((i as usize) < memory.len());
        elements[k] = memory[i].exchanged();
    }
    sync_threads();
    transform_all::<N>(&mut elements, &mut memory, mine, mine, Exchange { row: 1, apart, threads }, log);
    if log <= SHORT {
        to_block_memory::<N>(&elements, mine.sequence, mine.j, log, &mut memory);
        store_block::<N>(y, at, first, log, true, &memory);
    } else {
        store::<N>(y, at, first + mine.sequence, mine.j, log, false, true, &elements);
    }
}

/// Replaces the thread's pairs of the row of `len + 1` elements that begins at `base`: the first and the last element by `ends`, and others by
/// `pair`, which also gets their root. The element in the middle becomes its conjugate.
#[gpu_fn]
fn replace_pairs<const N: usize>(
    memory: &mut [Complex32],
    base: u32,
    len: u32,
    j: u32,
    roots: [Complex32; N],
    ends: impl Fn(&mut [Complex32], usize, usize),
    pair: impl Fn(Complex32, Complex32, Complex32) -> Pair,
) {
    #[unroll]
    for m in 0..N / 2 {
        let k = m as u32 * (len / N as u32) + j;
        let (a, b) = ((base + k) as usize, (base + len - k) as usize);
        assume(a < memory.len() && b < memory.len());
        if k == 0 {
            let middle = (base + len / 2) as usize;
            assume(middle < memory.len());
            ends(memory, a, b);
            memory[middle] = memory[middle].conjugate();
        } else {
            let Pair { first, last } = pair(memory[a], memory[b], roots[m]);
            memory[a] = first;
            memory[b] = last;
        }
    }
}

/// `exp(-πi * k / len)` for the thread's pairs, `k` elements from both ends: half a turn by `N` from one to the next. They are
/// in the first half of the array.
#[gpu_fn]
fn roots<const N: usize>(mine: Share, threads: u32) -> [Complex32; N] {
    let first = Complex32::unit(mine.j as f32 / (threads * N as u32) as f32);
    let second = first.times(Complex32::unit(1.0 / N as f32));
    let mut roots = [first; N];
    #[unroll]
    for m in 0..N / 2 {
        let steps = m / 2 * (32 / N);
        roots[m] = if m % 2 == 0 { first.turned(steps) } else { second.turned(steps) };
    }
    roots
}
