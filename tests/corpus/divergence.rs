//! The same values by three conditions: one for whole warps, one that splits each warp, and one that
//! splits each warp twice.

use warpsmith::prelude::*;

/// Threads of a warp.
const WARP: u32 = 32;

/// Even threads store 100, odd ones 200: both sides of the branch in each warp.
#[gpu_kernel]
pub fn math_kernel1(c: &mut [f32]) {
    let tid = block_idx().x * block_dim().x + thread_idx().x;
    let mut a = 0.0;
    let mut b = 0.0;
    if tid % 2 == 0 {
        a = 100.0;
    } else {
        b = 200.0;
    }
    c[tid] = a + b;
}

/// Even warps store 100, odd ones 200: no warp diverges.
#[gpu_kernel]
pub fn math_kernel2(c: &mut [f32]) {
    let tid = block_idx().x * block_dim().x + thread_idx().x;
    let mut a = 0.0;
    let mut b = 0.0;
    if (tid / WARP) % 2 == 0 {
        a = 100.0;
    } else {
        b = 200.0;
    }
    c[tid] = a + b;
}

/// As [`math_kernel1()`], by two branches on a predicate that is kept.
#[gpu_kernel]
pub fn math_kernel3(c: &mut [f32]) {
    let tid = block_idx().x * block_dim().x + thread_idx().x;
    let mut a = 0.0;
    let mut b = 0.0;
    let ipred = tid % 2 == 0;
    if ipred {
        a = 100.0;
    }
    if !ipred {
        b = 200.0;
    }
    c[tid] = a + b;
}
