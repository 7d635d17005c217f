//! The reduction ladder in global memory: each block folds its part of `g_idata` in place and writes
//! one partial sum to `g_odata`.
//!
//! The input is overwritten. Its length is a multiple of what a block folds.
//!
//! The notes unroll the last warp into six additions to a `volatile` pointer, and rely on lanes in lock step, which
//! Volta gave up. Here the same six steps are written out with `sync_warp` between them: all lanes read before one
//! of them writes, and all have written before one reads.

use warpsmith::prelude::*;

/// Neighbours are added; the threads that add are spread over all warps.
#[gpu_kernel]
pub fn reduce_neighbored(g_idata: ViewMut<'_, i32>, g_odata: &mut [i32], n: u32) {
    let tid = thread_idx().x;
    let idx = block_idx().x * block_dim().x + thread_idx().x;
    let mut idata = g_idata.offset(block_idx().x * block_dim().x);
    if idx >= n {
        return;
    }
    let mut stride = 1;
    while stride < block_dim().x {
        if tid % (2 * stride) == 0 {
            idata[tid] += idata[tid + stride];
        }
        sync_threads();
        stride *= 2;
    }
    if tid == 0 {
        g_odata[block_idx().x] = idata[0];
    }
}

/// Neighbours are added; the threads that add are the first ones.
#[gpu_kernel]
pub fn reduce_neighbored_less(g_idata: ViewMut<'_, i32>, g_odata: &mut [i32], n: u32) {
    let tid = thread_idx().x;
    let idx = block_idx().x * block_dim().x + thread_idx().x;
    let mut idata = g_idata.offset(block_idx().x * block_dim().x);
    if idx >= n {
        return;
    }
    let mut stride = 1;
    while stride < block_dim().x {
        let index = 2 * stride * tid;
        if index < block_dim().x {
            idata[index] += idata[index + stride];
        }
        sync_threads();
        stride *= 2;
    }
    if tid == 0 {
        g_odata[block_idx().x] = idata[0];
    }
}

/// Elements half the remaining length apart are added.
#[gpu_kernel]
pub fn reduce_interleaved(g_idata: ViewMut<'_, i32>, g_odata: &mut [i32], n: u32) {
    let tid = thread_idx().x;
    let idx = block_idx().x * block_dim().x + thread_idx().x;
    let mut idata = g_idata.offset(block_idx().x * block_dim().x);
    if idx >= n {
        return;
    }
    let mut stride = block_dim().x / 2;
    while stride > 0 {
        if tid < stride {
            idata[tid] += idata[tid + stride];
        }
        sync_threads();
        stride >>= 1;
    }
    if tid == 0 {
        g_odata[block_idx().x] = idata[0];
    }
}

/// A block folds two blocks' worth of elements.
#[gpu_kernel]
pub fn reduce_unrolling2(mut g_idata: ViewMut<'_, i32>, g_odata: &mut [i32], n: u32) {
    let tid = thread_idx().x;
    let idx = block_idx().x * block_dim().x * 2 + thread_idx().x;
    let mut idata = g_idata.offset(block_idx().x * block_dim().x * 2);
    if idx + block_dim().x < n {
        g_idata[idx] += g_idata[idx + block_dim().x];
    }
    sync_threads();
    let mut stride = block_dim().x / 2;
    while stride > 0 {
        if tid < stride {
            idata[tid] += idata[tid + stride];
        }
        sync_threads();
        stride >>= 1;
    }
    if tid == 0 {
        g_odata[block_idx().x] = idata[0];
    }
}

/// Adds the eight elements that are `step` apart from `idx` on.
#[gpu_fn]
pub fn sum_of_eight(data: ViewMut<'_, i32>, idx: u32, step: u32) -> i32 {
    let a1 = data[idx];
    let a2 = data[idx + step];
    let a3 = data[idx + 2 * step];
    let a4 = data[idx + 3 * step];
    let b1 = data[idx + 4 * step];
    let b2 = data[idx + 5 * step];
    let b3 = data[idx + 6 * step];
    let b4 = data[idx + 7 * step];
    a1 + a2 + a3 + a4 + b1 + b2 + b3 + b4
}

/// The first warp folds 64 elements into one, in six steps. Every lane takes each of them; what those beyond a step
/// add up is not used.
#[gpu_fn]
pub fn fold_last_warp(mut data: ViewMut<'_, i32>, tid: u32) {
    let mut sum = data[tid];
    // No lane writes what another reads here: the upper half belongs to none.
    sum += data[tid + 32];
    data[tid] = sum;
    sync_warp();
    sum += data[tid + 16];
    sync_warp();
    data[tid] = sum;
    sync_warp();
    sum += data[tid + 8];
    sync_warp();
    data[tid] = sum;
    sync_warp();
    sum += data[tid + 4];
    sync_warp();
    data[tid] = sum;
    sync_warp();
    sum += data[tid + 2];
    sync_warp();
    data[tid] = sum;
    sync_warp();
    sum += data[tid + 1];
    sync_warp();
    data[tid] = sum;
}

/// A block folds eight blocks' worth; the last warp needs no block barrier.
#[gpu_kernel]
pub fn reduce_unroll_warps8(mut g_idata: ViewMut<'_, i32>, g_odata: &mut [i32], n: u32) {
    let tid = thread_idx().x;
    let idx = block_idx().x * block_dim().x * 8 + thread_idx().x;
    let mut idata = g_idata.offset(block_idx().x * block_dim().x * 8);
    if idx + 7 * block_dim().x < n {
        g_idata[idx] = sum_of_eight(g_idata, idx, block_dim().x);
    }
    sync_threads();
    let mut stride = block_dim().x / 2;
    while stride > 32 {
        if tid < stride {
            idata[tid] += idata[tid + stride];
        }
        sync_threads();
        stride >>= 1;
    }
    if tid < 32 {
        fold_last_warp(idata, tid);
    }
    if tid == 0 {
        g_odata[block_idx().x] = idata[0];
    }
}

/// Every step written out, each guarded by the block size of the launch.
#[gpu_kernel]
pub fn reduce_complete_unroll_warps8(mut g_idata: ViewMut<'_, i32>, g_odata: &mut [i32], n: u32) {
    let tid = thread_idx().x;
    let idx = block_idx().x * block_dim().x * 8 + thread_idx().x;
    let mut idata = g_idata.offset(block_idx().x * block_dim().x * 8);
    if idx + 7 * block_dim().x < n {
        g_idata[idx] = sum_of_eight(g_idata, idx, block_dim().x);
    }
    sync_threads();
    if block_dim().x >= 1024 && tid < 512 {
        idata[tid] += idata[tid + 512];
    }
    sync_threads();
    if block_dim().x >= 512 && tid < 256 {
        idata[tid] += idata[tid + 256];
    }
    sync_threads();
    if block_dim().x >= 256 && tid < 128 {
        idata[tid] += idata[tid + 128];
    }
    sync_threads();
    if block_dim().x >= 128 && tid < 64 {
        idata[tid] += idata[tid + 64];
    }
    sync_threads();
    if tid < 32 {
        fold_last_warp(idata, tid);
    }
    if tid == 0 {
        g_odata[block_idx().x] = idata[0];
    }
}

/// Every step written out, specialized by a block size chosen at run time: the others are not printed.
#[gpu_kernel]
pub fn reduce_complete_unroll(
    mut g_idata: ViewMut<'_, i32>,
    g_odata: &mut [i32],
    n: u32,
    #[comptime] block_size: u32,
) {
    let tid = thread_idx().x;
    let idx = block_idx().x * block_size * 8 + thread_idx().x;
    let mut idata = g_idata.offset(block_idx().x * block_size * 8);
    if idx + 7 * block_size < n {
        g_idata[idx] = sum_of_eight(g_idata, idx, block_size);
    }
    sync_threads();
    if block_size >= 1024 {
        if tid < 512 {
            idata[tid] += idata[tid + 512];
        }
        sync_threads();
    }
    if block_size >= 512 {
        if tid < 256 {
            idata[tid] += idata[tid + 256];
        }
        sync_threads();
    }
    if block_size >= 256 {
        if tid < 128 {
            idata[tid] += idata[tid + 128];
        }
        sync_threads();
    }
    if block_size >= 128 {
        if tid < 64 {
            idata[tid] += idata[tid + 64];
        }
        sync_threads();
    }
    if tid < 32 {
        fold_last_warp(idata, tid);
    }
    if tid == 0 {
        g_odata[block_idx().x] = idata[0];
    }
}
