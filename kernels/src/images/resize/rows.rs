//! Pixels between others, row by row.

use warpsmith::prelude::*;

use super::super::field::{Columns, store_samples};
use super::super::sample::Sample;
use super::points::{Interpolation, Point, Scale, point};

/// Threads of a block.
pub const THREADS: u32 = 128;
/// Rows of a block's part.
pub const CHUNK: usize = 32;

/// Images of the input and the output, below each other. Strides are in samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, GpuType)]
#[repr(C)]
pub struct Scaling {
    /// How many there are.
    pub images: usize,
    /// Their rows.
    pub rows: Scale,
    /// The pixels of a row.
    pub pixels: Scale,
    /// Samples of a pixel.
    pub channels: usize,
    /// From one row of the input to the next.
    pub x_stride: usize,
    /// From one row of the output to the next.
    pub y_stride: usize,
}

/// Writes images of another size, of whose rows a thread has `N` samples.
///
/// Sums along rows stay in registers: rows of the output share those of `TAPS` rows of the input, and each is computed once in a part of
/// `CHUNK` rows.
#[gpu_kernel(launch_bounds(THREADS), noalias)]
pub fn resize_rows<T: Sample, const N: usize, const TAPS: usize>(
    x: &[T],
    y: &mut [T],
    of: Scaling,
    parts: usize,
    #[comptime] method: Interpolation,
    #[comptime] is_wide: bool,
) {
    let mut firsts = shared!([isize; CHUNK]);
    let mut weights = shared!([[T::Sum; TAPS]; CHUNK]);
    let t = (thread_idx().x % THREADS) as usize;
    let cols = of.pixels.to * of.channels;
    let beside = cols.div_ceil(THREADS as usize * N);
    let chunks = of.rows.to.div_ceil(CHUNK);
    let mut number = block_idx().x as usize;
    while number < parts {
        let (image, first_row) = (number / beside / chunks, number / beside % chunks * CHUNK);
        let end_row = (first_row + CHUNK).min(of.rows.to);
        if t < CHUNK && first_row + t < end_row {
            let at = point::<T::Sum>(first_row + t, of.rows, method);
            firsts[t] = at.first;
            #[unroll]
            for k in 0..TAPS {
                weights[t][k] = at.weights[k];
            }
        }
        sync_threads();
        let first = (number % beside * THREADS as usize + t) * N;
        if first < cols {
            let mut places = [[0usize; TAPS]; N];
            let mut across = [[T::Sum::ZERO; TAPS]; N];
            #[unroll]
            for i in 0..N {
                let col = (first + i).min(cols - 1);
                let at: Point<T::Sum> = point::<T::Sum>(col / of.channels, of.pixels, method);
                #[unroll]
                for k in 0..TAPS {
                    let pixel = (at.first + k as isize).max(0).min(of.pixels.from as isize - 1) as usize;
                    places[i][k] = pixel * of.channels + col % of.channels;
                    across[i][k] = at.weights[k];
                }
            }
            let from = x.as_ptr().wrapping_add(image * of.rows.from * of.x_stride);
            let to = y.as_mut_ptr().wrapping_add(image * of.rows.to * of.y_stride);
            // Sums along the rows of the input from `base` on.
            let mut sums = [[T::Sum::ZERO; N]; TAPS];
            let mut base = firsts[0] - TAPS as isize;
            for row in first_row..end_row {
                let next = firsts[row - first_row];
                base = base.max(next - TAPS as isize);
                while base < next {
                    base += 1;
                    #[unroll]
                    for k in 0..TAPS - 1 {
                        sums[k] = sums[k + 1];
                    }
                    let line = (base + TAPS as isize - 1).max(0).min(of.rows.from as isize - 1) as usize;
                    let line = from.wrapping_add(line * of.x_stride);
                    #[unroll]
                    for i in 0..N {
                        let mut sum = T::Sum::ZERO;
                        #[unroll]
                        for k in 0..TAPS {
                            // SAFETY: the row and the column exist.
                            let sample = unsafe { *line.wrapping_add(places[i][k]) }.sum();
                            sum = if TAPS == 1 { sample } else { across[i][k].mul_add(sample, sum) };
                        }
                        sums[TAPS - 1][i] = sum;
                    }
                }
                let mut results = [T::Sum::ZERO; N];
                #[unroll]
                for i in 0..N {
                    #[unroll]
                    for k in 0..TAPS {
                        results[i] = if TAPS == 1 {
                            sums[k][i]
                        } else {
                            weights[row - first_row][k].mul_add(sums[k][i], results[i])
                        };
                    }
                }
                let at = Columns { first, cols, channels: 1, is_inside: is_wide && first + N <= cols };
                store_samples::<T, N>(to.wrapping_add(row * of.y_stride), at, 0, cols, &results);
            }
        }
        number += grid_dim().x as usize;
        sync_threads();
    }
}
