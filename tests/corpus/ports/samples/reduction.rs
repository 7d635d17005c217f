//! cuda-samples: reductions, scans, scalar products, one-pass reductions behind a fence.

use harness::{noise, written};
use warpsmith::prelude::*;

use crate::cases::Case;
use crate::ports::{assert_close, down, port, up};

pub(super) fn cases() -> Vec<Case> {
    vec![
        port!("samples_reduce3", reduce3<i32>, blocks_reduce),
        port!("samples_reduce6@i32", reduce6<i32, 128, true>, blocks_reduce_powers_of_two),
        port!("samples_reduce6@f64", reduce6<f64, 64, false>, blocks_reduce_doubles),
        port!("samples_reduce_single_pass", reduce_single_pass, the_last_block_finishes),
        port!("samples_scalar_prod", scalar_prod<64>, vectors_are_multiplied),
        port!("samples_scan_exclusive_shared", scan_exclusive_shared<64>, four_elements_a_thread_are_scanned),
        port!("samples_shfl_scan", shfl_scan, warps_scan_by_shuffles),
        port!("samples_reduce_tiles", reduce_tiles<16>, tiles_reduce),
    ]
}

/// `reduce3`: the first addition during the load.
#[gpu_kernel]
fn reduce3<T: Num>(g_idata: &[T], g_odata: &mut [T], n: u32) {
    let mut sdata = dynamic_shared::<T>();
    let tid = thread_idx().x;
    let i = block_idx().x * (block_dim().x * 2) + thread_idx().x;
    let mut my_sum = if i < n { g_idata[i] } else { T::ZERO };
    if i + block_dim().x < n {
        my_sum += g_idata[i + block_dim().x];
    }
    sdata[tid] = my_sum;
    sync_threads();
    let mut s = block_dim().x / 2;
    while s > 0 {
        if tid < s {
            my_sum = my_sum + sdata[tid + s];
            sdata[tid] = my_sum;
        }
        sync_threads();
        s >>= 1;
    }
    if tid == 0 {
        g_odata[block_idx().x] = my_sum;
    }
}

/// `reduce6`: a grid-stride loop, unrolled by the block's size, the last warp by shuffles.
#[gpu_kernel]
fn reduce6<T: Num, const BLOCK_SIZE: u32, const N_IS_POW2: bool>(g_idata: &[T], g_odata: &mut [T], n: usize) {
    let mut sdata = shared!([T; BLOCK_SIZE as usize]);
    let tid = thread_idx().x;
    let mut grid_size = BLOCK_SIZE as usize * grid_dim().x as usize;
    let mut my_sum = T::ZERO;
    let mut i;
    if N_IS_POW2 {
        i = (block_idx().x * BLOCK_SIZE * 2 + thread_idx().x) as usize;
        grid_size = grid_size << 1;
        while i < n {
            my_sum += g_idata[i];
            if i + (BLOCK_SIZE as usize) < n {
                my_sum += g_idata[i + BLOCK_SIZE as usize];
            }
            i += grid_size;
        }
    } else {
        i = (block_idx().x * BLOCK_SIZE + thread_idx().x) as usize;
        while i < n {
            my_sum += g_idata[i];
            i += grid_size;
        }
    }
    sdata[tid] = my_sum;
    sync_threads();
    if BLOCK_SIZE >= 512 && tid < 256 {
        my_sum += sdata[tid + 256];
        sdata[tid] = my_sum;
    }
    sync_threads();
    if BLOCK_SIZE >= 256 && tid < 128 {
        my_sum += sdata[tid + 128];
        sdata[tid] = my_sum;
    }
    sync_threads();
    if BLOCK_SIZE >= 128 && tid < 64 {
        my_sum += sdata[tid + 64];
        sdata[tid] = my_sum;
    }
    sync_threads();
    let tile32 = warp_tile::<32>();
    if tid < 32 {
        if BLOCK_SIZE >= 64 {
            my_sum += sdata[tid + 32];
        }
        let mut offset = tile32.size() / 2;
        while offset > 0 {
            my_sum += tile32.shfl_down(my_sum, offset);
            offset /= 2;
        }
    }
    if tid == 0 {
        g_odata[block_idx().x] = my_sum;
    }
}

fn blocks_reduce(device: &Device) {
    let x: Vec<i32> = (0..1500).map(|i| (i * 7919) % 211 - 100).collect();
    let total: i32 = x.iter().sum();
    let input = up(device, &x);
    let out = written(device, (12, 77), |out| {
        reduce3(&input, out, 1500).grid(12).block(64).dynamic_shared(256).launch(device)
    });
    assert_eq!(out.iter().sum::<i32>(), total, "on {}", device.name());
}

fn blocks_reduce_powers_of_two(device: &Device) {
    let x: Vec<i32> = (0..1500).map(|i| (i * 7919) % 211 - 100).collect();
    let total: i32 = x.iter().sum();
    let input = up(device, &x);
    let out = written(device, (3, 77), |out| {
        reduce6::<i32, 128, true>(&input, out, 1500).grid(3).block(128).launch(device)
    });
    assert_eq!(out.iter().sum::<i32>(), total, "on {}", device.name());
}

fn blocks_reduce_doubles(device: &Device) {
    let x: Vec<i32> = (0..1500).map(|i| (i * 7919) % 211 - 100).collect();
    let total: i32 = x.iter().sum();
    let x: Vec<f64> = x.iter().map(|v| f64::from(*v)).collect();
    let input = up(device, &x);
    let out = written(device, (3, 77.0), |out| {
        reduce6::<f64, 64, false>(&input, out, 1500).grid(3).block(64).launch(device)
    });
    assert_eq!(out.iter().sum::<f64>(), f64::from(total), "on {}", device.name());
}

#[gpu_static]
static RETIREMENT_COUNT: u32 = 0;

/// `reduceSinglePass`: the last block adds up what all others wrote.
#[gpu_kernel]
fn reduce_single_pass(g_idata: &[f32], g_odata: &mut [f32], n: usize) {
    let mut am_last = shared!([bool; 1]);
    let mut smem = shared!([f32; 128]);
    let tid = thread_idx().x as usize;
    let mut sum = 0.0;
    let mut i = global_id();
    while i < n {
        sum += g_idata[i];
        i += global_size();
    }
    smem[tid] = sum;
    sync_threads();
    let mut s = 64;
    while s > 0 {
        if tid < s {
            smem[tid] += smem[tid + s];
        }
        sync_threads();
        s /= 2;
    }
    if tid == 0 {
        g_odata[block_idx().x] = smem[0];
        fence_device();
        let ticket = atomic_inc(RETIREMENT_COUNT.get_mut(), grid_dim().x);
        // The sample has no fence here: what the other blocks stored would not be ordered before what follows.
        fence_device();
        am_last[0] = ticket == grid_dim().x - 1;
    }
    sync_threads();
    if am_last[0] {
        let mut sum = 0.0;
        for i in (tid..grid_dim().x as usize).step_by(128) {
            sum += volatile_load(&g_odata[i]);
        }
        smem[tid] = sum;
        sync_threads();
        if tid == 0 {
            let mut total = 0.0;
            for v in smem.iter() {
                total += *v;
            }
            g_odata[0] = total;
            // Atomic as the increments of the other blocks, which no fence follows in them.
            atomic_exchange(RETIREMENT_COUNT.get_mut(), 0);
        }
    }
}

fn the_last_block_finishes(device: &Device) {
    let x: Vec<f32> = (0..3000).map(|i| ((i * 31) % 64) as f32 - 20.0).collect();
    let input = up(device, &x);
    for _ in 0..2 {
        let out = written(device, (5, f32::NAN), |out| {
            reduce_single_pass(&input, out, x.len()).grid(5).block(128).launch(device)
        });
        assert_eq!(out[0], x.iter().sum::<f32>(), "on {}", device.name());
    }
}

/// `scalarProdGPU`: accumulators of a vector in shared memory.
#[gpu_kernel]
fn scalar_prod<const ACCUM_N: usize>(
    d_c: &mut [f32],
    d_a: &[f32],
    d_b: &[f32],
    vector_n: usize,
    element_n: usize,
) {
    let mut accum_result = shared!([f32; ACCUM_N]);
    for vec in (block_idx().x as usize..vector_n).step_by(grid_dim().x as usize) {
        let vector_base = element_n * vec;
        let vector_end = vector_base + element_n;
        for i_accum in (thread_idx().x as usize..ACCUM_N).step_by(block_dim().x as usize) {
            let mut sum = 0f32;
            for pos in (vector_base + i_accum..vector_end).step_by(ACCUM_N) {
                sum += d_a[pos] * d_b[pos];
            }
            accum_result[i_accum] = sum;
        }
        let mut stride = ACCUM_N / 2;
        while stride > 0 {
            sync_threads();
            for i_accum in (thread_idx().x as usize..stride).step_by(block_dim().x as usize) {
                accum_result[i_accum] += accum_result[stride + i_accum];
            }
            stride >>= 1;
        }
        sync_threads();
        if thread_idx().x == 0 {
            d_c[vec] = accum_result[0];
        }
    }
}

fn vectors_are_multiplied(device: &Device) {
    let (n, len) = (5usize, 300usize);
    let (a, b) = (noise(n * len, 1), noise(n * len, 2));
    let (da, db) = (up(device, &a), up(device, &b));
    let out = written(device, (n, f32::NAN), |out| {
        scalar_prod::<64>(out, &da, &db, n, len).grid(2).block(32).launch(device)
    });
    let dot = |v: usize| (0..len).map(|i| a[v * len + i] * b[v * len + i]).sum::<f32>();
    assert_close(&out, &(0..n).map(dot).collect::<Vec<_>>(), 1e-4);
}

/// `scan1Inclusive` of the scan sample: two halves of shared memory, without bank conflicts.
#[gpu_fn]
fn scan1_inclusive(idata: u32, s_data: &mut [u32], size: u32) -> u32 {
    let mut pos = 2 * thread_idx().x - (thread_idx().x & (size - 1));
    s_data[pos] = 0;
    pos += size;
    s_data[pos] = idata;
    let mut offset = 1;
    while offset < size {
        sync_threads();
        let t = s_data[pos] + s_data[pos - offset];
        sync_threads();
        s_data[pos] = t;
        offset <<= 1;
    }
    s_data[pos]
}

/// `scan4Exclusive`: four elements a thread.
#[gpu_fn]
fn scan4_exclusive(idata4: U32x4, s_data: &mut [u32], size: u32) -> U32x4 {
    let mut sum = idata4;
    sum.y += sum.x;
    sum.z += sum.y;
    sum.w += sum.z;
    let val = scan1_inclusive(sum.w, s_data, size / 4) - sum.w;
    sum + val - idata4
}

#[gpu_kernel]
fn scan_exclusive_shared<const THREADBLOCK_SIZE: usize>(d_dst: &mut [U32x4], d_src: &[U32x4], size: u32) {
    let mut s_data = shared!([u32; 2 * THREADBLOCK_SIZE]);
    let pos = block_idx().x * block_dim().x + thread_idx().x;
    d_dst[pos] = scan4_exclusive(d_src[pos], &mut s_data, size);
}

fn four_elements_a_thread_are_scanned(device: &Device) {
    let size = 128usize;
    let x: Vec<u32> = (0..512).map(|i| (i * 13 + 5) % 29).collect();
    let quads: Vec<U32x4> = x.chunks(4).map(|v| U32x4::new(v[0], v[1], v[2], v[3])).collect();
    let input = up(device, &quads);
    let out = written(device, (128, U32x4::splat(9)), |out| {
        scan_exclusive_shared::<64>(out, &input, size as u32).grid(2).block(64).launch(device)
    });
    let got: Vec<u32> = out.iter().flat_map(|v| [v.x, v.y, v.z, v.w]).collect();
    for (part, got) in x.chunks(size).zip(got.chunks(size)) {
        let mut sum = 0;
        for (v, got) in part.iter().zip(got) {
            assert_eq!(*got, sum, "on {}", device.name());
            sum += v;
        }
    }
}

/// `shfl_scan_test` with `uniform_add`'s partial sums.
#[gpu_kernel]
fn shfl_scan(data: &mut [i32], width: u32, partial_sums: &mut [i32]) {
    let mut sums = dynamic_shared::<i32>();
    let id = (block_idx().x * block_dim().x) + thread_idx().x;
    let lane_id = id % warp_size();
    let warp_id = thread_idx().x / warp_size();
    let mut value = data[id];
    let mut i = 1;
    while i <= width {
        let n = shfl_up_sync(0xffffffff, value, i, width);
        if lane_id >= i {
            value += n;
        }
        i *= 2;
    }
    if thread_idx().x % warp_size() == warp_size() - 1 {
        sums[warp_id] = value;
    }
    sync_threads();
    if warp_id == 0 && lane_id < block_dim().x / warp_size() {
        let mut warp_sum = sums[lane_id];
        let mask = (1u32 << (block_dim().x / warp_size())) - 1;
        let mut i = 1;
        while i <= block_dim().x / warp_size() {
            let n = shfl_up_sync(mask, warp_sum, i, block_dim().x / warp_size());
            if lane_id >= i {
                warp_sum += n;
            }
            i *= 2;
        }
        sums[lane_id] = warp_sum;
    }
    sync_threads();
    let mut block_sum = 0;
    if warp_id > 0 {
        block_sum = sums[warp_id - 1];
    }
    value += block_sum;
    data[id] = value;
    if thread_idx().x == block_dim().x - 1 {
        partial_sums[block_idx().x] = value;
    }
}

fn warps_scan_by_shuffles(device: &Device) {
    let x: Vec<i32> = (0..256).map(|i| i % 17 - 3).collect();
    let mut data = up(device, &x);
    let sums = written(device, (2, 99), |sums| {
        shfl_scan(&mut data, 32, sums).grid(2).block(128).dynamic_shared(16).launch(device)
    });
    let got = down(device, &data);
    for block in 0..2 {
        let mut sum = 0;
        for i in block * 128..block * 128 + 128 {
            sum += x[i];
            assert_eq!(got[i], sum, "element {i} on {}", device.name());
        }
        assert_eq!(sums[block], sum);
    }
}

/// `reduce7` of the newer reduction sample: `cg::reduce` over multi-warp tiles by hand, `cg::plus`.
#[gpu_kernel]
fn reduce_tiles<const GROUP: u32>(g_idata: &[i32], g_odata: &mut [i32]) {
    let tile = warp_tile::<GROUP>();
    let mut total = shared!([i32; 1]);
    if thread_rank() == 0 {
        total[0] = 0;
    }
    sync_threads();
    let mut sum = 0;
    for v in g_idata.iter().skip(global_id()).step_by(global_size()) {
        sum += v;
    }
    let sum = tile.reduce(sum, |a: i32, b: i32| a.max(b) + a.min(b));
    if tile.thread_rank() == 0 {
        atomic_add(&mut total[0], sum);
    }
    sync_threads();
    if thread_rank() == 0 {
        g_odata[block_idx().x] = total[0];
    }
}

fn tiles_reduce(device: &Device) {
    let x: Vec<i32> = (0..777).map(|i| (i * 7919) % 211 - 100).collect();
    let input = up(device, &x);
    let out =
        written(device, (3, 77), |out| reduce_tiles::<16>(&input, out).grid(3).block([16, 4]).launch(device));
    assert_eq!(out.iter().sum::<i32>(), x.iter().sum::<i32>() * 4, "on {}", device.name());
}
