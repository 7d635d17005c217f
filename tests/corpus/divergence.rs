//! The same values by three conditions: one for whole warps, one that splits each warp, and one that
//! splits each warp twice.
//!
//! The notes say themselves that a compiler makes predicates of bodies as short as theirs, and then nothing diverges.
//! The long kernels have the same conditions and a loop behind each: their branches stay branches.

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

/// The same as [`math_kernel1()`], by two branches on a predicate that is kept.
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

/// Comes nearer to 100 by half of the way in each round; one round at least.
#[gpu_fn]
pub fn towards_100(rounds: u32) -> f32 {
    let mut a = 0.0;
    let mut k = 0;
    #[unroll(1)]
    loop {
        a = a * 0.5 + 50.0;
        k += 1;
        if k >= rounds {
            break;
        }
    }
    a
}

/// Comes nearer to 200 by three quarters of the way in each round; one round at least.
#[gpu_fn]
pub fn towards_200(rounds: u32) -> f32 {
    let mut b = 0.0;
    let mut k = 0;
    #[unroll(1)]
    loop {
        b = b * 0.25 + 150.0;
        k += 1;
        if k >= rounds {
            break;
        }
    }
    b
}

/// The same as [`math_kernel1()`], with a loop on each side.
#[gpu_kernel(fmad = false)]
pub fn long_math_kernel1(c: &mut [f32], rounds: u32) {
    let tid = block_idx().x * block_dim().x + thread_idx().x;
    if tid % 2 == 0 {
        c[tid] = towards_100(rounds);
    } else {
        c[tid] = towards_200(rounds);
    }
}

/// The same as [`math_kernel2()`], with a loop on each side.
#[gpu_kernel(fmad = false)]
pub fn long_math_kernel2(c: &mut [f32], rounds: u32) {
    let tid = block_idx().x * block_dim().x + thread_idx().x;
    if (tid / WARP) % 2 == 0 {
        c[tid] = towards_100(rounds);
    } else {
        c[tid] = towards_200(rounds);
    }
}

/// The same as [`math_kernel3()`], with a loop behind each branch. `sync_warp` between them keeps the compiler from making
/// one branch with two sides of the two.
#[gpu_kernel(fmad = false)]
pub fn long_math_kernel3(c: &mut [f32], rounds: u32) {
    let tid = block_idx().x * block_dim().x + thread_idx().x;
    let mut a = 0.0;
    let mut b = 0.0;
    let ipred = tid % 2 == 0;
    if ipred {
        a = towards_100(rounds);
    }
    sync_warp();
    if !ipred {
        b = towards_200(rounds);
    }
    c[tid] = a + b;
}
