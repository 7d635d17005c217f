//! Ways to read and write global memory: the read-only path, offsets from a line of the cache, and
//! pairs of floats in three layouts.

use warpsmith::prelude::*;

/// A copy, by ordinary loads.
#[gpu_kernel]
pub fn copy(out: &mut [i32], input: &[i32]) {
    let idx = block_idx().x * block_dim().x + thread_idx().x;
    out[idx] = input[idx];
}

/// A copy that asks for the read-only path at the load.
#[gpu_kernel]
pub fn copy_ldg(out: &mut [i32], input: &[i32]) {
    let idx = block_idx().x * block_dim().x + thread_idx().x;
    out[idx] = load_read_only(&input[idx]);
}

/// A copy whose slices do not overlap; the compiler may take the read-only path.
#[gpu_kernel(noalias)]
pub fn copy_restrict(out: &mut [i32], input: &[i32]) {
    let idx = block_idx().x * block_dim().x + thread_idx().x;
    out[idx] = input[idx];
}

/// Adds two vectors and stores the sum `offset` elements further on.
#[gpu_kernel(noalias)]
pub fn write_offset(a: &[f32], b: &[f32], c: &mut [f32], n: u32, offset: u32) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    let k = i + offset;
    if k < n {
        c[k] = a[i] + b[i];
    }
}

/// Adds two vectors from their element `offset` on.
#[gpu_kernel(noalias)]
pub fn read_offset(a: &[f32], b: &[f32], c: &mut [f32], n: u32, offset: u32) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    let k = i + offset;
    if k < n {
        c[i] = a[k] + b[k];
    }
}

/// The same as [`read_offset()`] with four blocks of elements a block. Those that do not fill four are left out.
#[gpu_kernel(noalias)]
pub fn read_offset_unroll4(a: &[f32], b: &[f32], c: &mut [f32], n: u32, offset: u32) {
    let i = block_idx().x * block_dim().x * 4 + thread_idx().x;
    let k = i + offset;
    if k + 3 * block_dim().x < n {
        c[i] = a[k] + b[k];
        c[i + block_dim().x] = a[k + block_dim().x] + b[k + block_dim().x];
        c[i + 2 * block_dim().x] = a[k + 2 * block_dim().x] + b[k + 2 * block_dim().x];
        c[i + 3 * block_dim().x] = a[k + 3 * block_dim().x] + b[k + 3 * block_dim().x];
    }
}

/// Two floats, aligned as one.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
pub struct Float2 {
    pub x: f32,
    pub y: f32,
}

/// Pairs as an array of structs: each field is loaded and stored by itself.
#[gpu_kernel(noalias)]
pub fn array_of_structure(sample: &[Float2], res: &mut [Float2], len: u32) {
    let i = block_idx().x * (block_dim().x * block_dim().y) + thread_idx().y * block_dim().x + thread_idx().x;
    if i < len {
        let mut tmp = sample[i];
        tmp.x += 0.0001;
        tmp.y += 0.0002;
        res[i] = tmp;
    }
}

/// Pairs as CUDA's vectors: both components are loaded and stored at once.
#[gpu_kernel(noalias)]
pub fn array_of_cuda_float2(sample: &[F32x2], res: &mut [F32x2], len: u32) {
    let i = block_idx().x * (block_dim().x * block_dim().y) + thread_idx().y * block_dim().x + thread_idx().x;
    if i < len {
        let mut tmp = sample[i];
        tmp.x += 0.0001;
        tmp.y += 0.0002;
        res[i] = tmp;
    }
}

/// Pairs as two arrays.
#[gpu_kernel(noalias)]
pub fn structure_of_array(x: &[f32], y: &[f32], res_x: &mut [f32], res_y: &mut [f32], len: u32) {
    let i = block_idx().x * (block_dim().x * block_dim().y) + thread_idx().y * block_dim().x + thread_idx().x;
    if i < len {
        let mut tmp_x = x[i];
        let mut tmp_y = y[i];
        tmp_x += 0.0001;
        tmp_y += 0.0002;
        res_x[i] = tmp_x;
        res_y[i] = tmp_y;
    }
}
