//! Element-wise kernels: saxpy and the two-dimensional matrix sum.

use warpsmith::prelude::*;

/// `y[i] = a * x[i] + y[i]`
#[gpu_kernel]
pub fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

/// `c = a + b` for `ny` rows of `nx`, on a two-dimensional grid of two-dimensional blocks.
#[gpu_kernel]
pub fn sum_matrix_2d(a: &[f32], b: &[f32], c: &mut [f32], nx: u32, ny: u32) {
    let ix = block_idx().x * block_dim().x + thread_idx().x;
    let iy = block_idx().y * block_dim().y + thread_idx().y;
    if ix < nx && iy < ny {
        let idx = iy * nx + ix;
        c[idx] = a[idx] + b[idx];
    }
}
