//! Stencils of planes.

use warpsmith::prelude::*;

use super::super::field::{Columns, Plane, SIDE, neighbours_at, sample_of, store_samples};
use super::super::sample::Sample;
use super::cells::{OF_ROW, Weights, has};
use crate::border::Border;

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
/// A block has a tile with the neighbours around it in shared memory, one of `tiles[0]` beside each other and `tiles[1]` below each other.
/// `LOADS` is the number of loads that have `N` samples and `SIDE` on both sides.
#[gpu_kernel(launch_bounds(ROW_THREADS, 5), noalias)]
pub fn stencil_rows<T: Sample, const N: usize, const LOADS: usize>(
    x: &[T],
    y: &mut [T],
    plane: Plane,
    tiles: [u32; 2],
    weights: Weights<T::Sum>,
    #[comptime] radius: usize,
    #[comptime] cells: u64,
    #[comptime] more: u64,
    #[comptime] border: Border,
    #[comptime] is_wide: bool,
) {
    let mut tile = shared!([[T::Neighbours; 31 + LOADS]; TILE_ROWS + 2 * radius]);
    let thread = thread_idx().x % ROW_THREADS;
    let (lane, warp) = (thread % 32, thread / 32);
    let (across, down) = (31 + LOADS as u32, (TILE_ROWS + 2 * radius) as u32);
    let [beside, below] = tiles;
    let (above, before) = (radius as u32, (LOADS / 2 * N) as u32);
    let number = block_idx().x as u32;
    let first_row = number / beside % below * TILE_ROWS as u32;
    let first_col = number % beside * (32 * N as u32);
    let rows_before = (number / beside / below) as usize * plane.rows as usize;
    let from = x.as_ptr().wrapping_add(rows_before * plane.x_stride as usize);
    let is_inside = first_row >= above
        && first_row + TILE_ROWS as u32 + above <= plane.rows
        && first_col >= before
        && first_col + across * N as u32 <= plane.cols + before;
    let loads = (down * across).div_ceil(ROW_THREADS);
    if is_wide && is_inside {
        let corner = from
            .wrapping_add((first_row - above) as usize * plane.x_stride as usize)
            .wrapping_add((first_col - before) as usize);
        // All loads are in flight before the first of them is waited for.
        let mut held = [T::neighbours([T::Sum::ZERO; 4]); MOST_LOADS];
        #[unroll]
        for k in 0..loads {
            let i = k * ROW_THREADS + thread;
            if i < down * across {
                let place = (i / across) as usize * plane.x_stride as usize + (i % across) as usize * N;
                // SAFETY: the samples exist, and begin where one instruction loads several.
                held[k] = unsafe { *(corner.wrapping_add(place) as *const T::Neighbours) };
            }
        }
        #[unroll]
        for k in 0..loads {
            let i = k * ROW_THREADS + thread;
            if i < down * across {
                tile[i / across][i % across] = held[k];
            }
        }
    } else {
        for i in (thread..down * across).step_by(ROW_THREADS as usize) {
            let row = first_row as isize + (i / across) as isize - above as isize;
            let col = first_col as isize + (i % across) as isize * N as isize - before as isize;
            let extents = [plane.rows as usize, plane.cols as usize];
            let stride = plane.x_stride as usize;
            tile[i / across][i % across] =
                neighbours_at::<T, N>(from, false, [row, col], extents, stride, border, is_wide);
        }
    }
    sync_threads();
    let (row, first) = (first_row + warp * OWN as u32, first_col + lane * N as u32);
    if first >= plane.cols || row >= plane.rows {
        return;
    }
    let mut sums = [[T::Sum::ZERO; N]; OWN];
    #[unroll]
    for r in 0..OWN + 2 * radius {
        let mut window = [T::neighbours([T::Sum::ZERO; 4]); LOADS];
        #[unroll]
        for k in 0..LOADS {
            window[k] = tile[warp as usize * OWN + r][lane as usize + k];
        }
        #[unroll]
        for own in 0..OWN {
            if r >= own && r <= own + 2 * radius {
                let of_row = (SIDE + r - own - radius) * OF_ROW;
                #[unroll]
                for col in SIDE - radius..SIDE + radius + 1 {
                    if has(of_row + col, cells, more) {
                        #[unroll]
                        for i in 0..N {
                            let sample = sample_of::<T, LOADS>(&window, LOADS / 2 * N - SIDE + i + col);
                            sums[own][i] = weights.of[of_row + col].mul_add(sample, sums[own][i]);
                        }
                    }
                }
            }
        }
    }
    let at = Columns { first: first as usize, cols: plane.cols as usize, channels: 1, is_inside: is_wide };
    let to = y.as_mut_ptr().wrapping_add(rows_before * plane.y_stride as usize);
    #[unroll]
    for own in 0..OWN {
        let row = row + own as u32;
        if row >= plane.first[0] && row < plane.end[0] {
            let to = to.wrapping_add(row as usize * plane.y_stride as usize);
            store_samples::<T, N>(to, at, plane.first[1] as usize, plane.end[1] as usize, &sums[own]);
        }
    }
}
