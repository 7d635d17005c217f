//! Kernels by which operations and branches are counted: with and without contraction, and with branches that no
//! compiler turns into predicates, since what they guard holds a loop.

use warpsmith::prelude::*;

/// A product and a sum for each element, which the compiler may contract.
#[gpu_kernel]
pub fn contracted(x: &[f32], y: &mut [f32], a: f32) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    y[i] = a * x[i] + y[i];
}

/// The same as [`contracted()`], kept apart.
#[gpu_kernel(fmad = false)]
pub fn apart(x: &[f32], y: &mut [f32], a: f32) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    y[i] = a * x[i] + y[i];
}

/// The same as [`contracted()`], written as one operation.
#[gpu_kernel]
pub fn fused(x: &[f32], y: &mut [f32], a: f32) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    y[i] = a.mul_add(x[i], y[i]);
}

/// Goes round as often as the element says.
#[gpu_kernel(fmad = false)]
pub fn uneven_rounds(rounds: &[u32], x: &[f32], y: &mut [f32]) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    let mut sum = 0.0;
    #[unroll(1)]
    for k in 0..rounds[i] {
        sum = sum * 0.5 + x[k];
    }
    y[i] = sum;
}

/// Even and odd threads go round loops of their own.
#[gpu_kernel(fmad = false)]
pub fn parted(x: &[f32], y: &mut [f32], rounds: u32) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    let mut sum = 0.0;
    if i % 2 == 0 {
        #[unroll(1)]
        for k in 0..rounds {
            sum = sum * 0.5 + x[k];
        }
    } else {
        #[unroll(1)]
        for k in 0..rounds {
            sum = sum * 0.25 - x[k];
        }
    }
    y[i] = sum;
}

/// The same as [`parted()`], by the warp: none diverges.
#[gpu_kernel(fmad = false)]
pub fn parted_by_warps(x: &[f32], y: &mut [f32], rounds: u32) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    let mut sum = 0.0;
    if i / 32 % 2 == 0 {
        #[unroll(1)]
        for k in 0..rounds {
            sum = sum * 0.5 + x[k];
        }
    } else {
        #[unroll(1)]
        for k in 0..rounds {
            sum = sum * 0.25 - x[k];
        }
    }
    y[i] = sum;
}
