//! The reductions of a block in global memory, in dynamic shared memory, unrolled, and with shuffles.

use warpsmith::prelude::*;

/// Largest block of these kernels.
pub const DIM: u32 = 1024;

/// Folds the first 64 of `data` into `data[0]`, by the first warp, in the six steps of
/// [`fold_last_warp()`](crate::reduction::fold_last_warp()).
#[gpu_fn]
fn fold_warp(data: &mut [i32], tid: u32) {
    let mut sum = data[tid];
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

/// Folds the block's elements into the first 64 of `data`; every thread of the block calls it.
#[gpu_fn]
fn fold_block(data: &mut [i32], tid: u32) {
    if block_dim().x >= 1024 && tid < 512 {
        data[tid] += data[tid + 512];
    }
    sync_threads();
    if block_dim().x >= 512 && tid < 256 {
        data[tid] += data[tid + 256];
    }
    sync_threads();
    if block_dim().x >= 256 && tid < 128 {
        data[tid] += data[tid + 128];
    }
    sync_threads();
    if block_dim().x >= 128 && tid < 64 {
        data[tid] += data[tid + 64];
    }
    sync_threads();
}

/// The baseline: in place, in global memory.
#[gpu_kernel]
pub fn reduce_gmem(g_idata: ViewMut<'_, i32>, g_odata: &mut [i32], n: u32) {
    let tid = thread_idx().x;
    let mut idata = g_idata.offset(block_idx().x * block_dim().x);
    let idx = block_idx().x * block_dim().x + thread_idx().x;
    if idx >= n {
        return;
    }
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
        crate::reduction::fold_last_warp(idata, tid);
    }
    if tid == 0 {
        g_odata[block_idx().x] = idata[0];
    }
}

/// In dynamic shared memory, one element a thread.
#[gpu_kernel]
pub fn reduce_smem_dyn(g_idata: &[i32], g_odata: &mut [i32]) {
    let mut smem = dynamic_shared::<i32>();
    let tid = thread_idx().x;
    smem[tid] = g_idata[block_idx().x * block_dim().x + tid];
    sync_threads();
    fold_block(&mut smem, tid);
    if tid < 32 {
        fold_warp(&mut smem, tid);
    }
    if tid == 0 {
        g_odata[block_idx().x] = smem[0];
    }
}

/// In dynamic shared memory, four elements a thread.
#[gpu_kernel]
pub fn reduce_smem_unroll_dyn(g_idata: &[i32], g_odata: &mut [i32], n: u32) {
    let mut smem = dynamic_shared::<i32>();
    let tid = thread_idx().x;
    let idx = block_idx().x * block_dim().x * 4 + thread_idx().x;
    let mut tmp_sum = 0;
    if idx + 3 * block_dim().x < n {
        let a1 = g_idata[idx];
        let a2 = g_idata[idx + block_dim().x];
        let a3 = g_idata[idx + 2 * block_dim().x];
        let a4 = g_idata[idx + 3 * block_dim().x];
        tmp_sum = a1 + a2 + a3 + a4;
    }
    smem[tid] = tmp_sum;
    sync_threads();
    fold_block(&mut smem, tid);
    if tid < 32 {
        fold_warp(&mut smem, tid);
    }
    if tid == 0 {
        g_odata[block_idx().x] = smem[0];
    }
}

/// Four elements a thread; the last warp exchanges registers.
#[gpu_kernel]
pub fn reduce_smem_unroll_shfl(g_idata: &[i32], g_odata: &mut [i32], n: u32) {
    let mut smem = shared!([i32; DIM]);
    let tid = thread_idx().x;
    let idx = block_idx().x * block_dim().x * 4 + thread_idx().x;
    let mut local_sum = 0;
    if idx + 3 * block_dim().x < n {
        let a1 = g_idata[idx];
        let a2 = g_idata[idx + block_dim().x];
        let a3 = g_idata[idx + 2 * block_dim().x];
        let a4 = g_idata[idx + 3 * block_dim().x];
        local_sum = a1 + a2 + a3 + a4;
    }
    smem[tid] = local_sum;
    sync_threads();
    fold_block(&mut smem, tid);
    if tid < 32 {
        local_sum = smem[tid] + smem[tid + 32];
        local_sum += shfl_xor(local_sum, 16);
        local_sum += shfl_xor(local_sum, 8);
        local_sum += shfl_xor(local_sum, 4);
        local_sum += shfl_xor(local_sum, 2);
        local_sum += shfl_xor(local_sum, 1);
    }
    if tid == 0 {
        g_odata[block_idx().x] = local_sum;
    }
}
