//! Matrix products: naive with the matrix by value, tiled with device functions, and for ragged sizes.

use warpsmith::prelude::*;

/// Row-major: `M(row, col) = elements[row * width + col]`.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
pub struct Matrix<'a> {
    pub width: u32,
    pub height: u32,
    pub elements: ViewMut<'a, f32>,
}

/// Each thread computes one element of `c = a * b`; `a`: `[m, k]`, `b`: `[k, n]`, `c`: `[m, n]`.
#[gpu_kernel]
pub fn mat_mul_naive(a: Matrix<'_>, b: Matrix<'_>, mut c: Matrix<'_>) {
    let mut c_value = 0.0;
    let row = block_idx().y * block_dim().y + thread_idx().y;
    let col = block_idx().x * block_dim().x + thread_idx().x;
    if row < c.height && col < c.width {
        for e in 0..a.width {
            c_value += a.elements[row * a.width + e] * b.elements[e * b.width + col];
        }
        c.elements[row * c.width + col] = c_value;
    }
}

/// Side of a square tile of [`mat_mul_tiled()`], which is also its block's.
pub const BLOCK_SIZE: u32 = 16;

/// A matrix or a part of one: `M(row, col) = elements[row * stride + col]`.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
pub struct SubMatrix<'a> {
    pub width: u32,
    pub height: u32,
    pub stride: u32,
    pub elements: ViewMut<'a, f32>,
}

/// Reads one element.
#[gpu_fn]
pub fn get_element(a: SubMatrix<'_>, row: u32, col: u32) -> f32 {
    a.elements[row * a.stride + col]
}

/// Writes one element.
#[gpu_fn]
pub fn set_element(mut a: SubMatrix<'_>, row: u32, col: u32, value: f32) {
    a.elements[row * a.stride + col] = value;
}

#[gpu_impl]
impl<'a> SubMatrix<'a> {
    /// The `BLOCK_SIZE`² part that is `col` parts to the right and `row` parts down.
    pub fn get_sub_matrix(self, row: u32, col: u32) -> SubMatrix<'a> {
        SubMatrix {
            width: BLOCK_SIZE,
            height: BLOCK_SIZE,
            stride: self.stride,
            elements: self.elements.offset(self.stride * BLOCK_SIZE * row + BLOCK_SIZE * col),
        }
    }
}

/// `c = a * b` through shared tiles; every extent is a multiple of [`BLOCK_SIZE`].
#[gpu_kernel]
pub fn mat_mul_tiled(a: SubMatrix<'_>, b: SubMatrix<'_>, c: SubMatrix<'_>) {
    let block_row = block_idx().y;
    let block_col = block_idx().x;
    let c_sub = c.get_sub_matrix(block_row, block_col);
    let mut c_value = 0.0;
    let row = thread_idx().y;
    let col = thread_idx().x;
    for m in 0..a.width / BLOCK_SIZE {
        let a_sub = a.get_sub_matrix(block_row, m);
        let b_sub = b.get_sub_matrix(m, block_col);
        let mut a_tile = shared!([[f32; BLOCK_SIZE]; BLOCK_SIZE]);
        let mut b_tile = shared!([[f32; BLOCK_SIZE]; BLOCK_SIZE]);
        a_tile[row][col] = get_element(a_sub, row, col);
        b_tile[row][col] = get_element(b_sub, row, col);
        sync_threads();
        for e in 0..BLOCK_SIZE {
            c_value += a_tile[row][e] * b_tile[e][col];
        }
        sync_threads();
    }
    set_element(c_sub, row, col, c_value);
}

/// `p = m * n` for any extents and any tile width up to 32; `m`: `[height, inner]`, `n`: `[inner, width]`.
#[gpu_kernel]
pub fn tiled_matmul(
    m: &[f32],
    n: &[f32],
    p: &mut [f32],
    height: u32,
    inner: u32,
    width: u32,
    #[comptime] tile_width: u32,
) {
    let mut mds = shared!([[f32; tile_width]; tile_width]);
    let mut nds = shared!([[f32; tile_width]; tile_width]);
    let tx = thread_idx().x;
    let ty = thread_idx().y;
    let row = block_idx().y * tile_width + ty;
    let col = block_idx().x * tile_width + tx;
    let mut p_value = 0.0;
    for ph in 0..inner.div_ceil(tile_width) {
        let k = ph * tile_width;
        mds[ty][tx] = if row < height && k + tx < inner { m[row * inner + k + tx] } else { 0.0 };
        nds[ty][tx] = if k + ty < inner && col < width { n[(k + ty) * width + col] } else { 0.0 };
        sync_threads();
        for k in 0..tile_width {
            p_value += mds[ty][k] * nds[k][tx];
        }
        sync_threads();
    }
    if row < height && col < width {
        p[row * width + col] = p_value;
    }
}
