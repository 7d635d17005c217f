//! Matrices and volumes of padded rows, as `cudaMallocPitch` and `cudaMalloc3D` allocate them.
//!
//! The notes add `r * pitch` bytes to the first row's address and cast back to elements. A view has the pitch in elements, its
//! stride. It needs no cast: row `r` begins `r * stride` elements behind the first.

use warpsmith::prelude::*;

/// Multiplies every element of a matrix. Rows are spread over the blocks, the elements of a row over the threads.
#[gpu_kernel]
pub fn scale_pitched(matrix: ViewMut2<'_, f32>, factor: f32) {
    let mut r = block_idx().x as usize;
    while r < matrix.rows() {
        let mut row = matrix.row(r);
        let mut c = thread_idx().x as usize;
        while c < matrix.cols() {
            row[c] *= factor;
            c += block_dim().x as usize;
        }
        r += grid_dim().x as usize;
    }
}

/// The same as [`scale_pitched()`] for a volume: each plane is a matrix, and one row of the grid scales it.
#[gpu_kernel]
pub fn scale_pitched_3d(volume: ViewMut3<'_, f32>, factor: f32) {
    let slice = volume.plane(block_idx().y as usize);
    let mut r = block_idx().x as usize;
    while r < slice.rows() {
        let mut row = slice.row(r);
        let mut c = thread_idx().x as usize;
        while c < slice.cols() {
            row[c] *= factor;
            c += block_dim().x as usize;
        }
        r += grid_dim().x as usize;
    }
}
