//! Stencils in three dimensions.

use warpsmith::prelude::*;

use super::super::field::{Columns, Field, SIDE, neighbours_at, sample_of, store};
use super::super::sample::Sample;
use super::cells::{CUBE, OF_CUBE, OF_ROW, Weights, has};
use crate::border::{Border, mapped};

/// Threads of a block.
pub const PLANE_THREADS: u32 = 256;
/// Threads of a block beside each other.
pub const LANES: usize = 16;
/// Rows of a thread.
const OWN: usize = 2;
/// Rows of a tile.
pub const PLANE_ROWS: usize = PLANE_THREADS as usize / LANES * OWN;
/// The most loads of a thread: those of a tile, with [`SIDE`] rows above and below it and two loads on either side.
const MOST_LOADS: usize = ((PLANE_ROWS + 2 * SIDE) * (LANES + 4)).div_ceil(PLANE_THREADS as usize);

/// Adds up neighbours in three dimensions. With `is_star`, cell `axis * 9 + offset + 4` is that of an offset of up to four along an axis;
/// else cell `((plane + 2) * 5 + row + 2) * 5 + col + 2` is that of the offset `(plane, row, col)`.
///
/// A block marches along a chunk of planes. It has a tile of a plane with the neighbours around it in shared memory, and loads the next one
/// beside the sums. The sums of the next results stay in registers, and each plane is loaded once.
#[gpu_kernel(launch_bounds(PLANE_THREADS, 2), noalias)]
pub fn stencil_planes<T: Sample, const N: usize, const LOADS: usize>(
    x: &[T],
    y: &mut [T],
    field: Field,
    weights: Weights<T::Sum>,
    parts: usize,
    #[comptime] radius: usize,
    #[comptime] cells: u64,
    #[comptime] more: u64,
    #[comptime] border: Border,
    #[comptime] is_star: bool,
    #[comptime] is_wide: bool,
) {
    let mut tiles = shared!([[[T::Neighbours; LANES + LOADS - 1]; PLANE_ROWS + 2 * radius]; 2]);
    let t = (thread_idx().x % PLANE_THREADS) as usize;
    let (lane, line) = (t % LANES, t / LANES * OWN);
    let across = LANES + LOADS - 1;
    let cells_of_tile = (PLANE_ROWS + 2 * radius) * across;
    let loads = cells_of_tile.div_ceil(PLANE_THREADS as usize);
    let beside = field.cols.div_ceil(LANES * N);
    let below = field.rows.div_ceil(PLANE_ROWS);
    let mut number = block_idx().x as usize;
    while number < parts {
        let (first_row, first_col) = (number / beside % below * PLANE_ROWS, number % beside * LANES * N);
        let first_plane = number / beside / below * field.chunk;
        let end_plane = (first_plane + field.chunk).min(field.planes);
        let at = Columns { first: first_col + lane * N, cols: field.cols, channels: 1, is_inside: is_wide };
        let has_results = at.first < field.cols && first_row + line < field.rows;
        let mut sums = [[[T::Sum::ZERO; N]; OWN]; 2 * SIDE + 1];
        let mut held = [T::neighbours([T::Sum::ZERO; 4]); MOST_LOADS];
        let steps = end_plane - first_plane + 2 * radius;
        for step in 0..steps + 1 {
            let loaded = (first_plane + step) as isize - radius as isize;
            if step < steps {
                let plane = mapped(loaded, field.planes, border);
                let from = x.as_ptr().wrapping_add(plane.max(0) as usize * field.rows * field.x_stride);
                #[unroll]
                for k in 0..loads {
                    let i = k * PLANE_THREADS as usize + t;
                    if i < cells_of_tile {
                        let row = (first_row + i / across) as isize - radius as isize;
                        let col = (first_col + i % across * N) as isize - (LOADS / 2 * N) as isize;
                        held[k] = neighbours_at::<T, N>(
                            from,
                            plane < 0,
                            [row, col],
                            [field.rows, field.cols],
                            field.x_stride,
                            border,
                            is_wide,
                        );
                    }
                }
            }
            if step > 0 && has_results {
                let here = (step - 1) % 2;
                #[unroll]
                for r in 0..OWN + 2 * radius {
                    let mut window = [T::neighbours([T::Sum::ZERO; 4]); LOADS];
                    #[unroll]
                    for k in 0..LOADS {
                        // Stars have side by side only what is in the thread's own rows.
                        if k == LOADS / 2 || !is_star || r >= radius && r < radius + OWN {
                            window[k] = tiles[here][line + r][lane + k];
                        }
                    }
                    #[unroll]
                    for own in 0..OWN {
                        if r >= own && r <= own + 2 * radius {
                            add::<T, N, LOADS>(
                                &mut sums,
                                own,
                                r - own,
                                &window,
                                &weights,
                                radius,
                                cells,
                                more,
                                is_star,
                            );
                        }
                    }
                }
                // The plane before `loaded` is the last that the first sums have a share of.
                let plane = loaded - 1 - radius as isize;
                let is_mine = plane >= first_plane as isize;
                if is_mine && plane as usize >= field.first[0] && (plane as usize) < field.end[0] {
                    #[unroll]
                    for own in 0..OWN {
                        let row = first_row + line + own;
                        if row >= field.first[1] && row < field.end[1] {
                            let to = (plane as usize * field.rows + row) * field.y_stride;
                            store::<T, N>(y.as_mut_ptr().wrapping_add(to), at, field, &sums[0][own]);
                        }
                    }
                }
                #[unroll]
                for d in 0..2 * SIDE + 1 {
                    sums[d] = if d < 2 * radius { sums[d + 1] } else { [[T::Sum::ZERO; N]; OWN] };
                }
            }
            if step < steps {
                #[unroll]
                for k in 0..loads {
                    let i = k * PLANE_THREADS as usize + t;
                    if i < cells_of_tile {
                        tiles[step % 2][i / across][i % across] = held[k];
                    }
                }
            }
            sync_threads();
        }
        number += grid_dim().x as usize;
    }
}

/// Adds the products of a row's window to the sums of the thread's row `own`, which lies `radius - down` rows below it, in all planes.
#[gpu_fn]
#[allow(clippy::too_many_arguments, reason = "those of the kernel, and the thread's share")]
fn add<T: Sample, const N: usize, const LOADS: usize>(
    sums: &mut [[[T::Sum; N]; OWN]; 2 * SIDE + 1],
    own: usize,
    down: usize,
    window: &[T::Neighbours; LOADS],
    weights: &Weights<T::Sum>,
    radius: usize,
    cells: u64,
    more: u64,
    is_star: bool,
) {
    // The sums from the first on are those of the planes from `radius` behind on.
    // Loops go through the cells that a star has, and no others: NVRTC unrolls before it leaves out what is not there.
    let mut with = |cell: usize, d: usize, right: usize| {
        if has(cell, cells, more) {
            #[unroll]
            for i in 0..N {
                let sample = sample_of::<T, LOADS>(window, LOADS / 2 * N - radius + right + i);
                sums[d][own][i] = weights.of[cell].mul_add(sample, sums[d][own][i]);
            }
        }
    };
    let first = SIDE - radius;
    if !is_star {
        #[unroll]
        for d in 0..2 * radius + 1 {
            let plane = (2 * radius - d + CUBE - radius) * OF_CUBE + down + CUBE - radius;
            #[unroll]
            for right in 0..2 * radius + 1 {
                with(plane * OF_CUBE + right + CUBE - radius, d, right);
            }
        }
    } else if down == radius {
        #[unroll]
        for d in 0..2 * radius + 1 {
            with(first + 2 * radius - d, d, radius);
        }
        #[unroll]
        for right in 0..2 * radius + 1 {
            if right != radius {
                with(2 * OF_ROW + first + right, radius, right);
            }
        }
    } else {
        with(OF_ROW + first + down, radius, radius);
    }
}
