//! cuda-samples: histograms, sorting networks, radix and merge sort, neighbours in a grid of cells.

use harness::{noise, written};
use warpsmith::prelude::*;

use crate::cases::Case;
use crate::ports::{assert_close, down, port, up};

pub(super) fn cases() -> Vec<Case> {
    vec![
        port!("samples_histogram256", histogram256, bytes_are_counted_by_warps),
        port!("samples_histogram64", histogram64, counters_are_bytes),
        port!("samples_bitonic_sort_shared", bitonic_sort_shared<128>, a_network_sorts),
        port!("samples_merge_sort_shared", merge_sort_shared<128>, runs_are_merged),
        port!("samples_radix_sort_block", radix_sort_block, digits_are_sorted),
        port!("samples_collide", collide, particles_collide_with_their_neighbours),
        port!("samples_calc_hash", calc_hash, particles_collide_with_their_neighbours),
        port!("samples_find_cell_start", find_cell_start, particles_collide_with_their_neighbours),
    ]
}

const HISTOGRAM256_BIN_COUNT: usize = 256;
const WARP_COUNT: usize = 3;
const LOG2_WARP_SIZE: u32 = 5;
const TAG_MASK: u32 = 0x07FF_FFFF;

/// `addByte`
#[gpu_fn]
fn add_byte(s_warp_hist: &mut [u32], data: u32) {
    atomic_add(&mut s_warp_hist[data], 1);
}

/// `addWord`
#[gpu_fn]
fn add_word(s_warp_hist: &mut [u32], data: u32) {
    add_byte(s_warp_hist, (data >> 0) & 0xFF);
    add_byte(s_warp_hist, (data >> 8) & 0xFF);
    add_byte(s_warp_hist, (data >> 16) & 0xFF);
    add_byte(s_warp_hist, (data >> 24) & 0xFF);
}

/// `histogram256Kernel`: a histogram a warp in shared memory.
#[gpu_kernel]
fn histogram256(d_partial: &mut [u32], d_data: &[u32]) {
    let mut s_hist = shared!([u32; WARP_COUNT * HISTOGRAM256_BIN_COUNT]);
    let warp = (thread_idx().x >> LOG2_WARP_SIZE) as usize;
    for i in 0..HISTOGRAM256_BIN_COUNT / 32 {
        s_hist[thread_idx().x as usize + i * WARP_COUNT * 32] = 0;
    }
    sync_threads();
    let s_warp_hist = &mut s_hist[warp * HISTOGRAM256_BIN_COUNT..(warp + 1) * HISTOGRAM256_BIN_COUNT];
    for pos in (global_id()..d_data.len()).step_by(global_size()) {
        let data = d_data[pos];
        add_word(s_warp_hist, data);
    }
    sync_threads();
    for bin in (thread_idx().x as usize..HISTOGRAM256_BIN_COUNT).step_by(WARP_COUNT * 32) {
        let mut sum = 0;
        for i in 0..WARP_COUNT {
            sum += s_hist[bin + i * HISTOGRAM256_BIN_COUNT] & TAG_MASK;
        }
        d_partial[block_idx().x as usize * HISTOGRAM256_BIN_COUNT + bin] = sum;
    }
}

fn bytes_are_counted_by_warps(device: &Device) {
    let x: Vec<u32> = (0..700u32).map(|i| i.wrapping_mul(2_654_435_761) ^ i >> 3).collect();
    let input = up(device, &x);
    let out = written(device, (512, 9), |out| histogram256(out, &input).grid(2).block(96).launch(device));
    let mut want = [0u32; 256];
    x.iter().flat_map(|v| v.to_le_bytes()).for_each(|b| want[usize::from(b)] += 1);
    let got: Vec<u32> = (0..256).map(|b| out[b] + out[256 + b]).collect();
    assert_eq!(got, want, "on {}", device.name());
}

/// `histogram64Kernel`: byte counters side by side, a thread's own column.
#[gpu_kernel]
fn histogram64(d_partial: &mut [u32], d_data: &[[u8; 4]]) {
    const BLOCK: usize = 64;
    let mut s_hist = shared!([u8; BLOCK * 64], align = 16);
    let s_thread_base = thread_idx().x as usize;
    let words = s_hist.reinterpret_mut::<u32>();
    for i in 0..64 / 4 {
        words[i * BLOCK + s_thread_base] = 0;
    }
    sync_threads();
    for pos in (global_id()..d_data.len()).step_by(global_size()) {
        for byte in d_data[pos] {
            s_hist[s_thread_base + (byte as usize >> 2) * BLOCK] += 1;
        }
    }
    sync_threads();
    if thread_idx().x < 64 {
        let mut sum = 0u32;
        let row = &s_hist[thread_idx().x as usize * BLOCK..][..BLOCK];
        let mut pos = thread_idx().x as usize & 15;
        for _ in 0..BLOCK {
            sum += row[pos] as u32;
            pos = (pos + 1) & (BLOCK - 1);
        }
        d_partial[block_idx().x * 64 + thread_idx().x] = sum;
    }
}

fn counters_are_bytes(device: &Device) {
    let x: Vec<[u8; 4]> = (0..700u32).map(|i| i.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    let input = up(device, &x);
    let out = written(device, (192, 9), |out| histogram64(out, &input).grid(3).block(64).launch(device));
    let mut want = [0u32; 64];
    x.iter().flatten().for_each(|b| want[usize::from(*b) >> 2] += 1);
    let got: Vec<u32> = (0..64).map(|b| out[b] + out[64 + b] + out[128 + b]).collect();
    assert_eq!(got, want, "on {}", device.name());
}

/// `Comparator`
#[gpu_fn]
fn comparator(key_a: &mut u32, val_a: &mut u32, key_b: &mut u32, val_b: &mut u32, dir: bool) {
    if (*key_a > *key_b) == dir {
        core::mem::swap(key_a, key_b);
        let t = *val_a;
        *val_a = *val_b;
        *val_b = t;
    }
}

/// `bitonicSortShared`
#[gpu_kernel]
fn bitonic_sort_shared<const LIMIT: usize>(d_key: &mut [u32], d_val: &mut [u32], dir: bool) {
    let mut s_key = shared!([u32; LIMIT]);
    let mut s_val = shared!([u32; LIMIT]);
    let t = thread_idx().x as usize;
    let half = LIMIT / 2;
    let base = block_idx().x as usize * LIMIT + t;
    (s_key[t], s_val[t]) = (d_key[base], d_val[base]);
    (s_key[t + half], s_val[t + half]) = (d_key[base + half], d_val[base + half]);

    let mut size = 2;
    while size < LIMIT {
        let ddd = dir ^ ((t & (size / 2)) != 0);
        let mut stride = size / 2;
        while stride > 0 {
            sync_threads();
            let pos = 2 * t - (t & (stride - 1));
            let (lower, upper) = s_key.split_at_mut(pos + 1);
            let (lower_val, upper_val) = s_val.split_at_mut(pos + 1);
            comparator(
                &mut lower[pos],
                &mut lower_val[pos],
                &mut upper[stride - 1],
                &mut upper_val[stride - 1],
                ddd,
            );
            stride >>= 1;
        }
        size <<= 1;
    }
    let mut stride = LIMIT / 2;
    while stride > 0 {
        sync_threads();
        let pos = 2 * t - (t & (stride - 1));
        if (s_key[pos] > s_key[pos + stride]) == dir {
            s_key.swap(pos, pos + stride);
            s_val.swap(pos, pos + stride);
        }
        stride >>= 1;
    }
    sync_threads();
    for i in [0, half] {
        d_key[base + i] = s_key[t + i];
        d_val[base + i] = s_val[t + i];
    }
}

fn a_network_sorts(device: &Device) {
    let keys: Vec<u32> = (0..256u32).map(|i| i.wrapping_mul(2_654_435_761) >> 7).collect();
    for dir in [true, false] {
        let mut dk = up(device, &keys);
        let vals = written(device, (256, 9), |vals| {
            bitonic_sort_shared::<128>(&mut dk, vals, dir).grid(2).block(64).launch(device)
        });
        assert!(vals.iter().all(|v| *v == 9));
        let got = down(device, &dk);
        for block in 0..2 {
            let mut want = keys[block * 128..][..128].to_vec();
            want.sort_unstable();
            if !dir {
                want.reverse();
            }
            assert_eq!(got[block * 128..][..128], want, "on {}", device.name());
        }
    }
}

/// `binarySearchInclusive` and `binarySearchExclusive`
#[gpu_fn]
fn binary_search<const INCLUSIVE: bool>(val: u32, data: &[u32], l: usize, mut stride: usize) -> usize {
    if l == 0 {
        return 0;
    }
    let mut pos = 0;
    while stride > 0 {
        let new_pos = (pos + stride).min(l);
        let before = if INCLUSIVE { data[new_pos - 1] <= val } else { data[new_pos - 1] < val };
        if before {
            pos = new_pos;
        }
        stride >>= 1;
    }
    pos
}

/// `mergeSortSharedKernel`: runs of 1, 2, 4, … merged by ranks.
#[gpu_kernel]
fn merge_sort_shared<const LIMIT: usize>(d_dst: &mut [u32], d_src: &[u32]) {
    let mut s_key = shared!([u32; LIMIT]);
    let t = thread_idx().x as usize;
    let at = block_idx().x as usize * LIMIT;
    s_key[t] = d_src[at + t];
    s_key[t + LIMIT / 2] = d_src[at + t + LIMIT / 2];
    let mut stride = 1usize;
    while stride < LIMIT {
        let l_pos = t & (stride - 1);
        let base = 2 * (t - l_pos);
        sync_threads();
        let (key_a, key_b) = (s_key[base + l_pos], s_key[base + l_pos + stride]);
        let pos_a = binary_search::<false>(key_a, &s_key[base + stride..][..stride], stride, stride) + l_pos;
        let pos_b = binary_search::<true>(key_b, &s_key[base..base + stride], stride, stride) + l_pos;
        sync_threads();
        s_key[base + pos_a] = key_a;
        s_key[base + pos_b] = key_b;
        stride <<= 1;
    }
    sync_threads();
    d_dst[at + t] = s_key[t];
    d_dst[at + t + LIMIT / 2] = s_key[t + LIMIT / 2];
}

fn runs_are_merged(device: &Device) {
    let keys: Vec<u32> = (0..256u32).map(|i| i.wrapping_mul(2_654_435_761) >> 26).collect();
    let input = up(device, &keys);
    let got = written(device, (256, 9), |out| {
        merge_sort_shared::<128>(out, &input).grid(2).block(64).launch(device)
    });
    for block in 0..2 {
        let mut want = keys[block * 128..][..128].to_vec();
        want.sort_unstable();
        assert_eq!(got[block * 128..][..128], want, "on {}", device.name());
    }
}

/// One pass of a radix sort in a block: bits by ballots, ranks by counting.
#[gpu_kernel]
fn radix_sort_block(keys: &mut [u32], bits: u32) {
    let mut sums = shared!([u32; 8]);
    let mut sorted = shared!([u32; 128]);
    let tid = thread_rank();
    let mut key = keys[tid];
    for bit in 0..bits {
        let is_zero = key & (1 << bit) == 0;
        let mask = ballot(is_zero);
        let below = (mask & !(u32::MAX << lane_id())).count_ones();
        if lane_id() == 0 {
            sums[warp_id()] = mask.count_ones();
        }
        sync_threads();
        let (mut before, mut zeros) = (0, 0);
        for (w, &count) in sums[..4].iter().enumerate() {
            if (w as u32) < warp_id() {
                before += count;
            }
            zeros += count;
        }
        let rank = before + below;
        let place = if is_zero { rank } else { zeros + tid - rank };
        sorted[place] = key;
        sync_threads();
        key = sorted[tid];
    }
    keys[tid] = key;
}

fn digits_are_sorted(device: &Device) {
    let x: Vec<u32> = (0..128u32).map(|i| i.wrapping_mul(2_654_435_761) >> 22).collect();
    let mut keys = up(device, &x);
    radix_sort_block(&mut keys, 10).grid(1).block(128).launch(device).expect("it runs");
    let mut want = x.clone();
    want.sort_unstable();
    assert_eq!(down(device, &keys), want, "on {}", device.name());
}

/// `SimParams` of particles.
#[derive(Clone, Copy, Default, GpuType)]
#[repr(C)]
struct SimParams {
    gravity: F32x3,
    particle_radius: f32,
    grid_size: U32x3,
    num_cells: u32,
    world_origin: F32x3,
    cell_size: F32x3,
    spring: f32,
    damping: f32,
}

#[gpu_const]
static PARAMS: SimParams = SimParams {
    gravity: F32x3::splat(0.0),
    particle_radius: 0.0,
    grid_size: U32x3::splat(1),
    num_cells: 1,
    world_origin: F32x3::splat(0.0),
    cell_size: F32x3::splat(1.0),
    spring: 0.0,
    damping: 0.0,
};

#[gpu_fn]
fn calc_grid_pos(p: F32x3) -> I32x3 {
    I32x3::new(
        ((p.x - PARAMS.world_origin.x) / PARAMS.cell_size.x).floor() as i32,
        ((p.y - PARAMS.world_origin.y) / PARAMS.cell_size.y).floor() as i32,
        ((p.z - PARAMS.world_origin.z) / PARAMS.cell_size.z).floor() as i32,
    )
}

/// The address of a cell, wrapped around at the edges of a grid whose size is a power of two.
#[gpu_fn]
fn calc_grid_hash(mut grid_pos: I32x3) -> u32 {
    grid_pos.x = grid_pos.x & (PARAMS.grid_size.x as i32 - 1);
    grid_pos.y &= (PARAMS.grid_size.y - 1) as i32;
    grid_pos.z &= (PARAMS.grid_size.z - 1) as i32;
    (grid_pos.z as u32 * PARAMS.grid_size.y + grid_pos.y as u32) * PARAMS.grid_size.x + grid_pos.x as u32
}

#[gpu_kernel]
fn calc_hash(hash: &mut [u32], index: &mut [u32], pos: &[F32x4]) {
    let i = global_id();
    if i >= pos.len() {
        return;
    }
    let p = pos[i];
    hash[i] = calc_grid_hash(calc_grid_pos(F32x3::new(p.x, p.y, p.z)));
    index[i] = i as u32;
}

/// `reorderDataAndFindCellStartD`
#[gpu_kernel]
fn find_cell_start(
    cell_start: &mut [u32],
    cell_end: &mut [u32],
    sorted_pos: &mut [F32x4],
    hash: &[u32],
    index: &[u32],
    old_pos: &[F32x4],
) {
    let mut shared_hash = dynamic_shared::<u32>();
    let i = global_id();
    let tid = thread_idx().x as usize;
    let mut h = 0;
    if i < hash.len() {
        h = hash[i];
        shared_hash[tid + 1] = h;
        if i > 0 && tid == 0 {
            shared_hash[0] = hash[i - 1];
        }
    }
    sync_threads();
    if i < hash.len() {
        if i == 0 || h != shared_hash[tid] {
            cell_start[h] = i as u32;
            if i > 0 {
                cell_end[shared_hash[tid]] = i as u32;
            }
        }
        if i == hash.len() - 1 {
            cell_end[h] = i as u32 + 1;
        }
        sorted_pos[i] = old_pos[index[i]];
    }
}

/// `collideD`, with `collideSpheres` and `collideCell` for positions only.
#[gpu_fn]
fn collide_spheres(pos_a: F32x3, pos_b: F32x3, radius_a: f32, radius_b: f32) -> F32x3 {
    let rel_pos = pos_b - pos_a;
    let dist = rel_pos.length();
    let collide_dist = radius_a + radius_b;
    let mut force = F32x3::splat(0.0);
    if dist < collide_dist {
        let norm = rel_pos / dist;
        force = norm * (collide_dist - dist) * -PARAMS.spring;
        force += PARAMS.damping * rel_pos;
    }
    force
}

#[gpu_kernel]
fn collide(out: &mut [F32x3], pos: &[F32x4], cell_start: &[u32], cell_end: &[u32]) {
    let index = global_id();
    if index >= pos.len() {
        return;
    }
    let xyz = |p: F32x4| F32x3::new(p.x, p.y, p.z);
    let me = xyz(pos[index]);
    let grid_pos = calc_grid_pos(me);
    let mut force = F32x3::splat(0.0);
    for z in -1..=1 {
        for y in -1..=1 {
            for x in -1..=1 {
                let hash = calc_grid_hash(grid_pos + I32x3::new(x, y, z));
                let start = cell_start[hash];
                if start != 0xffffffff {
                    for j in start..cell_end[hash] {
                        if j as usize != index {
                            let r = PARAMS.particle_radius;
                            force += collide_spheres(me, xyz(pos[j]), r, r);
                        }
                    }
                }
            }
        }
    }
    out[index] = force + PARAMS.gravity;
}

fn particles_collide_with_their_neighbours(device: &Device) {
    let n = 100usize;
    let params = SimParams {
        gravity: F32x3::new(0.0, -0.5, 0.0),
        particle_radius: 0.2,
        grid_size: U32x3::splat(8),
        num_cells: 512,
        world_origin: F32x3::splat(-2.0),
        cell_size: F32x3::splat(0.5),
        spring: 0.5,
        damping: 0.02,
    };
    PARAMS.set(device, params).expect("memory");
    let c = noise(n * 3, 5);
    let pos: Vec<F32x4> = (0..n).map(|i| F32x4::new(c[i * 3], c[i * 3 + 1], c[i * 3 + 2], 1.0)).collect();
    let dpos = up(device, &pos);
    let mut hash = up(device, &vec![0u32; n]);
    let index = written(device, (n, 0u32), |index| {
        calc_hash(&mut hash, index, &dpos).over(n).block(64).launch(device)
    });
    let hash = down(device, &hash);
    let mut order: Vec<(u32, u32)> = hash.into_iter().zip(index).collect();
    order.sort_unstable();
    let (hash, index): (Vec<u32>, Vec<u32>) = order.into_iter().unzip();
    let (dh, di) = (up(device, &hash), up(device, &index));
    let mut start = up(device, &[u32::MAX; 512]);
    let mut end = up(device, &[u32::MAX; 512]);
    let mut sorted = up(device, &pos);
    find_cell_start(&mut start, &mut end, &mut sorted, &dh, &di, &dpos)
        .over(n)
        .block(64)
        .dynamic_shared(65 * 4)
        .launch(device)
        .expect("it runs");
    let out = written(device, (n, F32x3::splat(f32::NAN)), |out| {
        collide(out, &sorted, &start, &end).over(n).block(64).launch(device)
    });
    for (i, got) in out.iter().enumerate() {
        let at = |k: usize| pos[index[k] as usize];
        let mut want = [0.0f32, -0.5, 0.0];
        for j in (0..n).filter(|j| *j != i) {
            let d = [at(j).x - at(i).x, at(j).y - at(i).y, at(j).z - at(i).z];
            let dist = d.iter().map(|v| v * v).sum::<f32>().sqrt();
            if dist < 0.4 {
                (0..3).for_each(|k| want[k] += -0.5 * (0.4 - dist) * d[k] / dist + 0.02 * d[k]);
            }
        }
        assert_close(&[got.x, got.y, got.z], &want, 1e-4);
    }
}
