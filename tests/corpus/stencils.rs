//! Stencils through shared tiles with a halo: radius 4 in one dimension, with the weights in a table, in
//! constant memory set by the host and in the read-only cache; 5 points in two.

use warpsmith::prelude::*;

/// Elements on each side that [`stencil()`] reads.
pub const RADIUS: u32 = 4;
/// Threads of a block of [`stencil()`].
pub const STENCIL_THREADS: u32 = 256;
/// Second derivative of eighth order, from the element `RADIUS` to the left on.
pub const COEFFICIENTS: [f32; 9] = [
    -1.0 / 560.0,
    8.0 / 315.0,
    -1.0 / 5.0,
    8.0 / 5.0,
    -205.0 / 72.0,
    8.0 / 5.0,
    -1.0 / 5.0,
    8.0 / 315.0,
    -1.0 / 560.0,
];

/// `y[i] = Σ COEFFICIENTS[k] * x[i + k - RADIUS]`; what lies outside of `x` is zero.
#[gpu_kernel]
pub fn stencil(x: &[f32], y: &mut [f32]) {
    let mut tile = shared!([f32; STENCIL_THREADS + 2 * RADIUS]);
    // The block is no larger; said here, it leaves no index of the tile to be checked.
    let t = thread_idx().x % STENCIL_THREADS;
    let i = block_idx().x * STENCIL_THREADS + t;
    let n = x.len() as u32;
    tile[t + RADIUS] = if i < n { x[i] } else { 0.0 };
    if t < RADIUS {
        tile[t] = if i >= RADIUS && i - RADIUS < n { x[i - RADIUS] } else { 0.0 };
        let right = i + STENCIL_THREADS;
        tile[t + RADIUS + STENCIL_THREADS] = if right < n { x[right] } else { 0.0 };
    }
    sync_threads();
    if i < n {
        let mut sum = 0.0;
        #[unroll]
        for k in 0..2 * RADIUS + 1 {
            sum += COEFFICIENTS[k] * tile[t + k];
        }
        y[i] = sum;
    }
}

/// Threads of a block of [`stencil_1d()`].
pub const BDIM: u32 = 32;

/// Weights of the first derivative of eighth order: of the differences of the elements 1 to `RADIUS` away.
#[gpu_const]
pub static COEF: [f32; RADIUS as usize + 1] = [0.0; RADIUS as usize + 1];

/// `out[i] = Σ COEF[k] * (input[i + RADIUS + k] - input[i + RADIUS - k])` for `k` from 1 to `RADIUS`.
///
/// `input` has `RADIUS` elements more than the `n` of `out` at either end. Any grid covers them: a block
/// goes on by the size of the grid.
#[gpu_kernel]
pub fn stencil_1d(input: &[f32], out: &mut [f32], n: u32) {
    let mut smem = shared!([f32; BDIM + 2 * RADIUS]);
    let sidx = thread_idx().x + RADIUS;
    let mut first = block_idx().x * BDIM;
    while first < n {
        let idx = first + thread_idx().x;
        if idx + RADIUS < n + 2 * RADIUS {
            smem[sidx] = input[idx + RADIUS];
        }
        if thread_idx().x < RADIUS {
            smem[sidx - RADIUS] = input[idx];
            if idx + RADIUS + BDIM < n + 2 * RADIUS {
                smem[sidx + BDIM] = input[idx + RADIUS + BDIM];
            }
        }
        sync_threads();
        if idx < n {
            let mut tmp = 0.0;
            #[unroll]
            for i in 1..=RADIUS {
                tmp += COEF[i] * (smem[sidx + i] - smem[sidx - i]);
            }
            out[idx] = tmp;
        }
        sync_threads();
        first += grid_dim().x * BDIM;
    }
}

/// The same as [`stencil_1d()`], with the weights in global memory, read through the read-only cache.
#[gpu_kernel(noalias)]
pub fn stencil_1d_read_only(input: &[f32], out: &mut [f32], n: u32, dcoef: &[f32]) {
    let mut smem = shared!([f32; BDIM + 2 * RADIUS]);
    let sidx = thread_idx().x + RADIUS;
    let mut first = block_idx().x * BDIM;
    while first < n {
        let idx = first + thread_idx().x;
        if idx + RADIUS < n + 2 * RADIUS {
            smem[sidx] = input[idx + RADIUS];
        }
        if thread_idx().x < RADIUS {
            smem[sidx - RADIUS] = input[idx];
            if idx + RADIUS + BDIM < n + 2 * RADIUS {
                smem[sidx + BDIM] = input[idx + RADIUS + BDIM];
            }
        }
        sync_threads();
        if idx < n {
            let mut tmp = 0.0;
            #[unroll]
            for i in 1..=RADIUS {
                tmp += dcoef[i] * (smem[sidx + i] - smem[sidx - i]);
            }
            out[idx] = tmp;
        }
        sync_threads();
        first += grid_dim().x * BDIM;
    }
}

/// Columns of a block of [`jacobi()`].
pub const JACOBI_COLS: u32 = 32;
/// Rows of a block of [`jacobi()`].
pub const JACOBI_ROWS: u32 = 8;

/// A matrix whose elements outside are those of its edge.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
pub struct Field<'a> {
    pub width: u32,
    pub height: u32,
    pub cells: View<'a, f32>,
}

#[gpu_impl]
impl Field<'_> {
    /// The element at `[row, col]`, or the nearest one.
    fn nearest(&self, row: i32, col: i32) -> f32 {
        let row = row.clamp(0, self.height as i32 - 1) as u32;
        let col = col.clamp(0, self.width as i32 - 1) as u32;
        self.cells[row * self.width + col]
    }
}

/// One sweep of Jacobi's iteration for Laplace's equation: each element of `next` is the mean of the
/// four neighbours in `field`.
#[gpu_kernel]
pub fn jacobi(field: Field<'_>, next: &mut [f32]) {
    let mut tile = shared!([[f32; JACOBI_COLS + 2]; JACOBI_ROWS + 2]);
    let (tx, ty) = (thread_idx().x % JACOBI_COLS, thread_idx().y % JACOBI_ROWS);
    let col = block_idx().x * JACOBI_COLS + tx;
    let row = block_idx().y * JACOBI_ROWS + ty;
    let (c, r) = (col as i32, row as i32);
    tile[ty + 1][tx + 1] = field.nearest(r, c);
    if tx == 0 {
        tile[ty + 1][0] = field.nearest(r, c - 1);
    }
    if tx == JACOBI_COLS - 1 {
        tile[ty + 1][JACOBI_COLS + 1] = field.nearest(r, c + 1);
    }
    if ty == 0 {
        tile[0][tx + 1] = field.nearest(r - 1, c);
    }
    if ty == JACOBI_ROWS - 1 {
        tile[JACOBI_ROWS + 1][tx + 1] = field.nearest(r + 1, c);
    }
    sync_threads();
    if col < field.width && row < field.height {
        let vertical = tile[ty][tx + 1] + tile[ty + 2][tx + 1];
        let horizontal = tile[ty + 1][tx] + tile[ty + 1][tx + 2];
        next[row * field.width + col] = 0.25 * (vertical + horizontal);
    }
}
