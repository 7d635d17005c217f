//! Short real rows, each of which a thread transforms by itself. Rows and spectra go through shared memory, so neighbouring threads load and
//! store neighbouring elements.

use warpsmith::prelude::*;

use super::Complex32;
use super::halves::{Pair, ends, joined, of_ends, split};
use super::radix::{ELEMENTS, reversed, transform};

/// Threads of a block, and its rows.
pub const THREADS: u32 = 256;
/// Bits of the longest complex rows.
pub(super) const MOST_BITS: u32 = 3;
/// Elements of shared memory: those of halves of spectra.
const ROOM: usize = ((1 << MOST_BITS) + 1) * THREADS as usize;
/// Shared memory of a block, in bytes.
pub(super) const SHARED: usize = ROOM * size_of::<Complex32>();

/// The rows of a launch; distances are in complex numbers.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
pub struct RealRows {
    /// Their number.
    pub count: usize,
    /// From one real row, which has two elements in each complex number, to the next.
    pub rows: usize,
    /// From one half of a spectrum to the next.
    pub spectra: usize,
    /// What each element of a result is multiplied by.
    pub factor: f32,
}

/// `y` gets the halves of spectra of real rows, `2^log + 1` elements each, times a factor. `x` has the rows as complex ones of `2^log`
/// elements, up to 8 of them.
#[gpu_kernel(launch_bounds(THREADS), noalias)]
pub fn rfft_short_rows(x: &[Complex32], y: &mut [Complex32], rows: RealRows, #[comptime] log: u32) {
    let mut memory = shared!([Complex32; ROOM]);
    let (len, columns) = (1usize << log, (1usize << log) + 1);
    let t = (thread_idx().x % THREADS) as usize;
    load_rows(x, rows.count, rows.rows, len, columns, &mut memory);
    if t < rows_of_block(rows.count) {
        let z = transformed(&memory, t * columns, log);
        let Pair { first, last } = ends(z[0]);
        if len > 1 {
            memory[t * columns + len / 2] = z[len / 2].conjugate().scaled(rows.factor);
        }
        memory[t * columns] = first.scaled(rows.factor);
        memory[t * columns + len] = last.scaled(rows.factor);
        #[unroll]
        for k in 1..len / 2 {
            let Pair { first, last } = joined(z[k], z[len - k], root(k, len));
            memory[t * columns + k] = first.scaled(rows.factor);
            memory[t * columns + len - k] = last.scaled(rows.factor);
        }
    }
    store_rows(y, rows.count, rows.spectra, columns, columns, &memory);
}

/// `y` gets the real rows, as complex ones of `2^log` elements, up to 8 of them, whose halves of spectra are the rows of `x`, of
/// `2^log + 1` elements, times a factor.
#[gpu_kernel(launch_bounds(THREADS), noalias)]
pub fn irfft_short_rows(x: &[Complex32], y: &mut [Complex32], rows: RealRows, #[comptime] log: u32) {
    let mut memory = shared!([Complex32; ROOM]);
    let (len, columns) = (1usize << log, (1usize << log) + 1);
    let t = (thread_idx().x % THREADS) as usize;
    load_rows(x, rows.count, rows.spectra, columns, columns, &mut memory);
    if t < rows_of_block(rows.count) {
        let start = t * columns;
        memory[start] = of_ends(memory[start], memory[start + len]);
        if len > 1 {
            memory[start + len / 2] = memory[start + len / 2].conjugate();
        }
        #[unroll]
        for k in 1..len / 2 {
            let Pair { first, last } = split(memory[start + k], memory[start + len - k], root(k, len));
            memory[start + k] = first;
            memory[start + len - k] = last;
        }
        #[unroll]
        for k in 0..len {
            memory[start + k] = memory[start + k].exchanged();
        }
        let z = transformed(&memory, start, log);
        #[unroll]
        for k in 0..len {
            memory[start + k] = z[k].exchanged().scaled(rows.factor);
        }
    }
    store_rows(y, rows.count, rows.rows, len, columns, &memory);
}

/// Rows of the calling block.
#[gpu_fn]
fn rows_of_block(count: usize) -> usize {
    (count - block_idx().x as usize * THREADS as usize).min(THREADS as usize)
}

/// Loads a block's rows of `len` elements, which lie `stride` apart, to places `apart` from each other. It is a barrier.
#[gpu_fn]
fn load_rows(
    x: &[Complex32],
    count: usize,
    stride: usize,
    len: usize,
    apart: usize,
    memory: &mut [Complex32],
) {
    let (t, count) = ((thread_idx().x % THREADS) as usize, rows_of_block(count));
    let first = block_idx().x as usize * THREADS as usize * stride;
    #[unroll]
    for m in 0..len {
        let i = m * THREADS as usize + t;
        if i / len < count {
            memory[i / len * apart + i % len] = x[first + i / len * stride + i % len];
        }
    }
    sync_threads();
}

/// Stores what [`load_rows`] would load. It is a barrier.
#[gpu_fn]
fn store_rows(
    y: &mut [Complex32],
    count: usize,
    stride: usize,
    len: usize,
    apart: usize,
    memory: &[Complex32],
) {
    sync_threads();
    let (t, count) = ((thread_idx().x % THREADS) as usize, rows_of_block(count));
    let first = block_idx().x as usize * THREADS as usize * stride;
    #[unroll]
    for m in 0..len {
        let i = m * THREADS as usize + t;
        if i / len < count {
            y[first + i / len * stride + i % len] = memory[i / len * apart + i % len];
        }
    }
}

/// The spectrum of the row that begins at `start`, in order.
#[gpu_fn]
fn transformed(memory: &[Complex32], start: usize, log: u32) -> [Complex32; ELEMENTS] {
    let short = ELEMENTS >> log;
    let mut elements = [Complex32::ZERO; ELEMENTS];
    #[unroll]
    for k in 0..1usize << log {
        elements[k * short] = memory[start + k];
    }
    transform(&mut elements, log);
    let mut spectrum = [Complex32::ZERO; ELEMENTS];
    #[unroll]
    for k in 0..1usize << log {
        spectrum[reversed(k, log)] = elements[k * short];
    }
    spectrum
}

/// `exp(-πi * k / len)`.
#[gpu_fn]
fn root(k: usize, len: usize) -> Complex32 {
    Complex32 { re: 1.0, im: 0.0 }.turned(k * 16 / len)
}
