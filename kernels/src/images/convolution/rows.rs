//! Both convolutions at once, along the rows and across them.

use warpsmith::prelude::*;

use super::super::field::{Field, sample_of};
use super::super::march::{March, ROWS, STEPS, THREADS, march};
use super::super::sample::Sample;
use crate::border::Border;

/// The farthest sample of a row that has a share in a result, and the farthest row.
pub const FARTHEST: usize = 16;
/// The most rows whose sums a thread has.
const MOST_SUMS: usize = 2 * FARTHEST + ROWS;
/// The most weights of an axis.
pub const MOST_WEIGHTS: usize = 2 * FARTHEST + 1;

/// The weights of both axes.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Factors<S> {
    /// Those of rows, from the uppermost on.
    pub down: [S; MOST_WEIGHTS],
    /// Those of pixels, from the leftmost on.
    pub across: [S; MOST_WEIGHTS],
}

/// Adds up the pixels of each row, and these sums of the rows around each row.
///
/// `LOADS` is the number of loads that have `N` samples and `FARTHEST` on both sides. A weight is for each of `2 * radius + 1` rows and
/// `2 * reach + 1` pixels.
#[gpu_kernel(launch_bounds(THREADS), noalias)]
pub fn convolve_rows<T: Sample, const N: usize, const LOADS: usize>(
    x: &[T],
    y: &mut [T],
    field: Field,
    factors: Factors<T::Sum>,
    parts: usize,
    #[comptime] radius: usize,
    #[comptime] reach: usize,
    #[comptime] channels: usize,
    #[comptime] width: usize,
    #[comptime] copied: usize,
    #[comptime] border: Border,
    #[comptime] is_wide: bool,
) {
    let mut ring = shared!([T; STEPS * ROWS * width], align = 16);
    let mut number = block_idx().x as usize;
    while number < parts {
        let (from, to, through) = (x.as_ptr(), y.as_mut_ptr(), ring.as_mut_ptr());
        let how = March { radius, reach: reach * channels, channels, width, copied };
        march::<T, N, LOADS, MOST_SUMS>(
            from,
            to,
            through,
            field,
            number,
            how,
            border,
            is_wide,
            |sums, k, window| {
                let of_load = size_of::<T::Neighbours>() / size_of::<T>();
                let first = (LOADS * of_load - N) / 2 - reach * channels;
                let mut of_row = [T::Sum::ZERO; N];
                #[unroll]
                for j in 0..2 * reach + 1 {
                    #[unroll]
                    for i in 0..N {
                        let sample = sample_of::<T, LOADS>(window, first + j * channels + i);
                        of_row[i] = factors.across[j].mul_add(sample, of_row[i]);
                    }
                }
                // The sums from row `k` on are those of the rows from `radius` above on.
                #[unroll]
                for d in 0..2 * radius + 1 {
                    #[unroll]
                    for i in 0..N {
                        sums[k + d][i] = factors.down[2 * radius - d].mul_add(of_row[i], sums[k + d][i]);
                    }
                }
            },
        );
        number += grid_dim().x as usize;
        if number < parts {
            sync_threads();
        }
    }
}
