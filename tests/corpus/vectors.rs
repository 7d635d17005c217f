//! Element-wise kernels: saxpy, the two-dimensional matrix sum, and those that tests of other things launch.

use warpsmith::prelude::*;

/// `y[i] = a * x[i] + y[i]`
#[gpu_kernel]
pub fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

/// `y[i] = value`
#[gpu_kernel]
pub fn fill(y: &mut [u32], value: u32) {
    let i = global_id();
    if i < y.len() {
        y[i] = value;
    }
}

/// `x[i] *= 2`
#[gpu_kernel]
pub fn doubled(x: &mut [u32]) {
    let i = global_id();
    if i < x.len() {
        x[i] *= 2;
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
