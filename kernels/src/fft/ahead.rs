//! Rows that fill a multiprocessor: a block takes one after the other, and loads the next while it transforms one.

use warpsmith::prelude::*;

use super::Complex32;
use super::radix::{BITS, ELEMENTS, angle, reversed, transform, turn};

/// The most threads of a block.
pub const MOST_THREADS: usize = 1024;

/// The rows of a launch; distances are in elements.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
pub struct LongRows {
    /// Their number.
    pub count: usize,
    /// From one row to the next.
    pub from: usize,
    /// From one spectrum to the next.
    pub to: usize,
    /// What each element of a spectrum is multiplied by.
    pub factor: f32,
}

/// Shared memory of a block for rows of `len` elements, in bytes.
pub(super) const fn shared_bytes(len: usize) -> usize {
    len * size_of::<Complex32>() + (len + len / 32) * size_of::<f32>()
}

/// `y` gets the spectra of rows of `len` elements of `x`, a power of two from 32 on, times a factor; the inverse ones if `is_inverse`.
///
/// A block has `len / 16` threads, and a number of rows, as many as there are blocks apart. Threads exchange real and imaginary parts one
/// after the other, which leaves memory for the next row.
#[gpu_kernel(launch_bounds(MOST_THREADS, 1), noalias)]
pub fn fft_rows_ahead(
    x: &[Complex32],
    y: &mut [Complex32],
    rows: LongRows,
    #[comptime] len: usize,
    #[comptime] is_inverse: bool,
) {
    let mut next = shared!([Complex32; len]);
    let mut parts = shared!([f32; len + len / 32]);
    let threads = len / ELEMENTS;
    let t = thread_idx().x as usize % threads;
    let log = len.trailing_zeros();
    let bits = if log.is_multiple_of(BITS) { BITS } else { log % BITS };
    let mut number = block_idx().x as usize;
    fetch(x, rows, number, t, threads, &mut next);
    while number < rows.count {
        copy_async_wait::<0>();
        let mut elements = [Complex32::ZERO; ELEMENTS];
        #[unroll]
        for k in 0..ELEMENTS {
            let element = next[k * threads + t];
            elements[k] = if is_inverse { element.exchanged() } else { element };
        }
        // No other thread reads these places.
        fetch(x, rows, number + grid_dim().x as usize, t, threads, &mut next);
        transform(&mut elements, bits);
        #[unroll]
        for pass in 0..(log - bits) / BITS {
            let before = bits + pass * BITS;
            let log_radix = if pass == 0 { bits } else { BITS };
            let size = 1usize << (before - log_radix);
            #[unroll]
            for part in 0..2 {
                sync_threads();
                #[unroll]
                for k in 0..ELEMENTS {
                    let (m, place) = (k % (ELEMENTS >> log_radix), k / (ELEMENTS >> log_radix));
                    let j = t + m * threads;
                    let e = ((j / size * size) << log_radix) + j % size + reversed(place, log_radix) * size;
                    assume(e + e / 32 < parts.len());
                    parts[e + e / 32] = if part == 0 { elements[k].re } else { elements[k].im };
                }
                sync_threads();
                #[unroll]
                for k in 0..ELEMENTS {
                    let e = t + k * threads;
                    assume(e + e / 32 < parts.len());
                    let number = parts[e + e / 32];
                    if part == 0 {
                        elements[k].re = number;
                    } else {
                        elements[k].im = number;
                    }
                }
            }
            // By sines: roots by polynomials would all be kept from row to row, for which there are too few registers.
            turn(&mut elements, Complex32::unit(angle(t as u32, before)));
            transform(&mut elements, BITS);
        }
        #[unroll]
        for k in 0..ELEMENTS {
            let element = elements[k].scaled(rows.factor);
            let i = number * rows.to + reversed(k, BITS) * threads + t;
            assume(i < y.len());
            y[i] = if is_inverse { element.exchanged() } else { element };
        }
        number += grid_dim().x as usize;
    }
}

/// Starts the copies of the thread's elements of row `number`, if there is one.
#[gpu_fn]
fn fetch(x: &[Complex32], rows: LongRows, number: usize, t: usize, threads: usize, next: &mut [Complex32]) {
    if number < rows.count {
        #[unroll]
        for k in 0..ELEMENTS {
            let i = number * rows.from + k * threads + t;
            assume(i < x.len());
            copy_async(&mut next[k * threads + t], &x[i]);
        }
    }
    copy_async_commit();
}
