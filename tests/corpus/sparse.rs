//! The product of a sparse matrix in compressed rows with a vector, one warp a row.

use warpsmith::prelude::*;

/// A sparse matrix: row `r` has the entries `starts[r]..starts[r + 1]`.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
pub struct Csr<'a> {
    pub starts: View<'a, u32>,
    pub columns: View<'a, u32>,
    pub values: View<'a, f32>,
}

/// `y = matrix * x`; one warp computes one element of `y`, a block of 256 eight.
#[gpu_kernel]
pub fn spmv(matrix: Csr<'_>, x: &[f32], y: &mut [f32]) {
    let row = block_idx().x * (block_dim().x / 32) + thread_idx().x / 32;
    if row as usize >= y.len() {
        return;
    }
    let mut sum = 0.0;
    for i in (matrix.starts[row] + lane_id()..matrix.starts[row + 1]).step_by(32) {
        sum += matrix.values[i] * x[matrix.columns[i]];
    }
    #[unroll]
    for delta in [16, 8, 4, 2, 1u32] {
        sum += shfl_down(sum, delta);
    }
    if lane_id() == 0 {
        y[row] = sum;
    }
}
