//! Stencils of planes.

use warpsmith::prelude::*;

use super::super::field::{Columns, Field, SIDE, neighbours_at, sample_of, store};
use super::super::sample::Sample;
use super::cells::{OF_ROW, Weights, has};
use crate::border::{Border, mapped};

/// Warps of a block.
pub const WARPS: usize = 8;
/// Threads of a block.
pub const ROW_THREADS: u32 = WARPS as u32 * 32;
/// Rows of a thread.
const OWN: usize = 4;
/// Rows of a tile.
pub const TILE_ROWS: usize = WARPS * OWN;
/// The most loads of a thread: those of a tile, with `SIDE` rows above and below it and two loads on either side.
const MOST_LOADS: usize = ((TILE_ROWS + 2 * SIDE) * 36).div_ceil(ROW_THREADS as usize);

/// Adds up to nine rows of up to nine neighbours in each plane: cell `(row + 4) * 9 + col + 4` has the offset `(row, col)`.
///
/// A block has a tile with the neighbours around it in shared memory. `LOADS` is the number of loads that have `N` samples and `SIDE`
/// on both sides.
#[gpu_kernel(launch_bounds(ROW_THREADS, 4), noalias)]
pub fn stencil_rows<T: Sample, const N: usize, const LOADS: usize>(
    x: &[T],
    y: &mut [T],
    field: Field,
    weights: Weights<T::Sum>,
    parts: usize,
    #[comptime] radius: usize,
    #[comptime] cells: u64,
    #[comptime] more: u64,
    #[comptime] border: Border,
    #[comptime] is_wide: bool,
) {
    let mut tile = shared!([[T::Neighbours; 31 + LOADS]; TILE_ROWS + 2 * radius]);
    let (lane, warp) = ((thread_idx().x % 32) as usize, (thread_idx().x % ROW_THREADS / 32) as usize);
    let across = 31 + LOADS;
    let loads = ((TILE_ROWS + 2 * radius) * across).div_ceil(ROW_THREADS as usize);
    let beside = field.cols.div_ceil(32 * N);
    let below = field.rows.div_ceil(TILE_ROWS);
    let mut number = block_idx().x as usize;
    while number < parts {
        let plane = number / beside / below;
        let (first_row, first_col) = (number / beside % below * TILE_ROWS, number % beside * 32 * N);
        let from = x.as_ptr().wrapping_add(plane * field.rows * field.x_stride);
        let first = [first_row as isize - radius as isize, first_col as isize - (LOADS / 2 * N) as isize];
        let is_inside = is_wide && first[1] >= 0 && first[1] as usize + across * N <= field.cols;
        // All loads are in flight before the first of them is waited for.
        let mut held = [T::neighbours([T::Sum::ZERO; 4]); MOST_LOADS];
        #[unroll]
        for k in 0..loads {
            let i = k * ROW_THREADS as usize + warp * 32 + lane;
            if i < (TILE_ROWS + 2 * radius) * across {
                let (row, col) = (first[0] + (i / across) as isize, first[1] + (i % across * N) as isize);
                let line = mapped(row, field.rows, border);
                if is_inside && line >= 0 {
                    let place = line as usize * field.x_stride + col as usize;
                    // SAFETY: the samples exist, and begin where one instruction loads several.
                    held[k] = unsafe { *(from.wrapping_add(place) as *const T::Neighbours) };
                } else {
                    held[k] = neighbours_at::<T, N>(from, false, row, col, field, border, is_wide);
                }
            }
        }
        #[unroll]
        for k in 0..loads {
            let i = k * ROW_THREADS as usize + warp * 32 + lane;
            if i < (TILE_ROWS + 2 * radius) * across {
                tile[i / across][i % across] = held[k];
            }
        }
        sync_threads();
        let first = first_col + lane * N;
        if first < field.cols && first_row + warp * OWN < field.rows {
            let mut sums = [[T::Sum::ZERO; N]; OWN];
            #[unroll]
            for r in 0..OWN + 2 * radius {
                let mut window = [T::neighbours([T::Sum::ZERO; 4]); LOADS];
                #[unroll]
                for k in 0..LOADS {
                    window[k] = tile[warp * OWN + r][lane + k];
                }
                #[unroll]
                for own in 0..OWN {
                    if r >= own && r <= own + 2 * radius {
                        let row = (SIDE + r - own - radius) * OF_ROW;
                        #[unroll]
                        for col in SIDE - radius..SIDE + radius + 1 {
                            if has(row + col, cells, more) {
                                #[unroll]
                                for i in 0..N {
                                    let sample =
                                        sample_of::<T, LOADS>(&window, LOADS / 2 * N - SIDE + i + col);
                                    sums[own][i] = weights.of[row + col].mul_add(sample, sums[own][i]);
                                }
                            }
                        }
                    }
                }
            }
            let at = Columns { first, cols: field.cols, channels: 1, is_inside: is_wide };
            let to = y.as_mut_ptr().wrapping_add(plane * field.rows * field.y_stride);
            #[unroll]
            for own in 0..OWN {
                let row = first_row + warp * OWN + own;
                let is_result = plane >= field.first[0] && plane < field.end[0];
                if is_result && row >= field.first[1] && row < field.end[1] {
                    store::<T, N>(to.wrapping_add(row * field.y_stride), at, field, &sums[own]);
                }
            }
        }
        number += grid_dim().x as usize;
        if number < parts {
            sync_threads();
        }
    }
}
