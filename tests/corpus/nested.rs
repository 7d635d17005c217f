//! Kernels that launch themselves: the nested hello, and three recursive reductions.
//!
//! The notes let a parent wait for its children by `cudaDeviceSynchronize`, which CUDA 12 took from device
//! code. Nothing is lost: no parent reads what its child writes. Where a child reads what other blocks, or
//! other threads without a barrier, have written, it is a tail launch, which follows the whole grid.

use warpsmith::prelude::*;

/// Every grid greets with its threads and launches one of half as many; `greetings[d]` counts those at depth `d`.
#[gpu_kernel]
pub fn nested_hello_world(size: u32, depth: u32, greetings: &mut [u32]) {
    let tid = thread_idx().x;
    println!("Recursion={depth}: Hello World from thread {tid} block {}", block_idx().x);
    atomic_add(&mut greetings[depth], 1);
    if size == 1 {
        return;
    }
    let threads = size >> 1;
    if tid == 0 && threads > 0 {
        nested_hello_world(threads, depth + 1, greetings).grid(1).block(threads).launch();
        println!("-------> nested execution depth: {}", depth + 1);
    }
}

/// Sums of blocks of `size` elements: every block halves its own and launches one block for the rest.
#[gpu_kernel]
pub fn gpu_recursive_reduce(g_idata: &mut [i32], g_odata: &mut [i32], size: u32) {
    let tid = thread_idx().x;
    let idata = &mut g_idata[block_idx().x * block_dim().x..];
    let odata = &mut g_odata[block_idx().x..];
    if size == 2 {
        if tid == 0 {
            odata[0] = idata[0] + idata[1];
        }
        return;
    }
    let stride = size >> 1;
    if stride > 1 && tid < stride {
        idata[tid] += idata[tid + stride];
    }
    // The child sees what its launching thread sees: after the barrier, the whole block's sums.
    sync_threads();
    if tid == 0 {
        gpu_recursive_reduce(idata, odata, stride).grid(1).block(stride).launch();
    }
}

/// The same without the barrier: a tail launch sees the whole grid's sums.
#[gpu_kernel]
pub fn gpu_recursive_reduce_nosync(g_idata: &mut [i32], g_odata: &mut [i32], size: u32) {
    let tid = thread_idx().x;
    let idata = &mut g_idata[block_idx().x * block_dim().x..];
    let odata = &mut g_odata[block_idx().x..];
    if size == 2 {
        if tid == 0 {
            odata[0] = idata[0] + idata[1];
        }
        return;
    }
    let stride = size >> 1;
    if stride > 1 && tid < stride {
        idata[tid] += idata[tid + stride];
        if tid == 0 {
            gpu_recursive_reduce_nosync(idata, odata, stride).grid(1).block(stride).tail().launch();
        }
    }
}

/// The same with one launch a step: the first thread of the first block launches the next step of all blocks.
#[gpu_kernel]
pub fn gpu_recursive_reduce2(g_idata: &mut [i32], g_odata: &mut [i32], stride: u32, dim: u32) {
    let idata = &mut g_idata[block_idx().x * dim..];
    if stride == 1 {
        if thread_idx().x == 0 {
            g_odata[block_idx().x] = idata[0] + idata[1];
        }
        return;
    }
    idata[thread_idx().x] += idata[thread_idx().x + stride];
    if thread_idx().x == 0 && block_idx().x == 0 {
        gpu_recursive_reduce2(g_idata, g_odata, stride / 2, dim)
            .grid(grid_dim().x)
            .block(stride / 2)
            .tail()
            .launch();
    }
}
