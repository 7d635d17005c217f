//! Kernels of a deployed program: it launches them, and has neither simulator nor reports.

use warpsmith::prelude::*;

/// `y[i] = a * x[i] + y[i]`
#[gpu_kernel]
pub fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i < y.len() && i < x.len() {
        y[i] = a * x[i] + y[i];
    }
}

/// Halves, which are the library's own types here.
#[gpu_kernel]
pub fn halved(x: &[f16], y: &mut [f16]) {
    const HALF: f16 = f16::from_bits(0x3800);
    let i = global_id();
    if i < y.len() && i < x.len() {
        y[i] = x[i] * HALF;
    }
}

/// The sum of a block, through shared memory and warps.
#[gpu_kernel]
pub fn block_sums(x: &[u32], sums: &mut [u32]) {
    let mut warps = shared!([u32; 32]);
    let i = global_id();
    let mut sum = if i < x.len() { x[i] } else { 0 };
    for step in [16, 8, 4, 2, 1] {
        sum += shfl_down(sum, step);
    }
    if lane_id() == 0 {
        warps[warp_id()] = sum;
    }
    sync_threads();
    if thread_idx().x == 0 {
        let mut all = 0;
        for warp in 0..block_dim().x / 32 {
            all += warps[warp];
        }
        sums[block_idx().x] = all;
    }
}
