//! Stencils through shared tiles with a halo: radius 4 in one dimension, 5 points in two.

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
