//! Barriers of a block: missing, misplaced, too weak.

use warpsmith::prelude::*;

use crate::suite::cases;

cases! { "barriers.rs";
    shared_exchange(1, 64) clean [0] racy [1 2 3];
    global_exchange(1, 64) clean [0] racy [1 2];
    tree_reduction(1, 64) clean [0] racy [1 2 3];
    scan_in_place(1, 64) clean [0] racy [1 2];
    transposed_tile(1, [8, 8]) clean [0] racy [1];
    reused_array(1, 64) clean [0] racy [1 2];
    one_writer(1, 64) clean [0] racy [1 2];
    many_writers(1, 64) clean [0] racy [1];
    shared_stencil(1, 64) clean [0] racy [1 2];
    shared_histogram(1, 64) clean [0] racy [1 2];
    voting_barrier(1, 64) clean [0 1 2] racy [3];
    strided_fill(1, 64) clean [0] racy [1];
    reversed_in_place(1, 64) clean [0] racy [1];
    bytes_side_by_side(1, 64) clean [0] racy [1];
    words_and_halves(1, 64) clean [0] racy [1];
    carried_sum(1, 64) clean [0] racy [1 2];
    bitonic(1, 64) clean [0] racy [1 2];
    tiled_product(1, [8, 8]) clean [0] racy [1 2];
    named_pair(1, 96) clean [0] racy [1 2];
    named_producer(1, 64) clean [0] racy [1 2 3];
    named_and_gone(1, 96) clean [0] racy [1];
    dynamic_array(1, 64, dynamic_shared(256)) clean [0] racy [1];
    struct_fields(1, 64) clean [0] racy [1];
    swapped_halves(1, 64) clean [0] racy [1];
    filled_slice(1, 64) clean [0] racy [1];
    copied_slice(1, 64) clean [0] racy [1];
}

#[gpu_kernel]
fn shared_exchange(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 64]);
    let t = thread_idx().x;
    if how == 2 {
        sync_threads();
    }
    tile[t] = x[t]; // race
    if how == 0 {
        sync_threads();
    }
    if how == 3 {
        sync_warp();
    }
    y[t] = tile[63 - t]; // race
}

#[gpu_kernel]
fn global_exchange(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    x[t] = t; // race
    if how == 0 {
        sync_threads();
    }
    if how == 2 {
        fence_device();
    }
    y[t] = x[(t + 1) % 64]; // race
}

#[gpu_kernel]
fn tree_reduction(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut part = shared!([u32; 64]);
    let t = thread_idx().x;
    part[t] = x[t]; // race
    if how != 1 {
        sync_threads();
    }
    let mut half = 32u32;
    while half > 0 {
        if t < half {
            part[t] += part[t + half]; // race
        }
        if how != 2 && !(how == 3 && half == 1) {
            sync_threads();
        }
        half /= 2;
    }
    if how == 3 {
        part[t] = 0; // race
    }
    y[t] = part[0]; // race
}

#[gpu_kernel]
fn scan_in_place(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut sums = shared!([u32; 64]);
    let t = thread_idx().x;
    sums[t] = x[t];
    sync_threads();
    let mut distance = 1u32;
    while distance < 64 {
        let below = if t >= distance { sums[t - distance] } else { 0 }; // race
        if how != 1 {
            sync_threads();
        }
        sums[t] += below; // race
        if how != 2 {
            sync_threads();
        }
        distance *= 2;
    }
    y[t] = sums[t];
}

#[gpu_kernel]
fn transposed_tile(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([[u32; 9]; 8]);
    let (i, j) = (thread_idx().x, thread_idx().y);
    tile[j][i] = x[j * 8 + i]; // race
    if how == 0 {
        sync_threads();
    }
    y[j * 8 + i] = tile[i][j]; // race
}

#[gpu_kernel]
fn reused_array(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 64]);
    let t = thread_idx().x;
    for i in 0..3u32 {
        tile[t] = x[i * 64 + t]; // race
        if how != 2 {
            sync_threads();
        }
        y[i * 64 + t] = tile[63 - t]; // race
        if how != 1 {
            sync_threads();
        }
    }
}

#[gpu_kernel]
fn one_writer(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut kept = shared!([u32; 1]);
    let t = thread_idx().x;
    if how == 2 || t == 0 {
        kept[0] = x[0]; // race 1 2
    }
    if how != 1 {
        sync_threads();
    }
    y[t] = kept[0]; // race 1
}

#[gpu_kernel]
fn many_writers(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    if how == 1 || t == 5 {
        y[0] = x[1]; // race
    }
}

#[gpu_kernel]
fn shared_stencil(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 66]);
    let t = thread_idx().x;
    tile[t + 1] = x[t]; // race 1
    if how == 2 {
        sync_threads();
    }
    if t == 63 {
        tile[0] = 7; // race
    }
    if t == 0 {
        tile[65] = 8; // race
    }
    if how == 0 {
        sync_threads();
    }
    y[t] = tile[t] + tile[t + 1] + tile[t + 2]; // race
}

#[gpu_kernel]
fn shared_histogram(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut bins = shared!([u32; 8]);
    let t = thread_idx().x;
    if t < 8 {
        bins[t] = 0; // race 1
    }
    if how != 1 {
        sync_threads();
    }
    atomic_add(&mut bins[(x[t] + t) % 8], 1); // race 1 2
    if how != 2 {
        sync_threads();
    }
    if t < 8 {
        y[t] = bins[t]; // race 2
    }
}

#[gpu_kernel]
fn voting_barrier(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 64]);
    let t = thread_idx().x;
    tile[t] = x[t]; // race
    let votes = match how {
        0 => sync_threads_count(t > 3),
        1 => sync_threads_or(t > 3) as u32,
        2 => sync_threads_and(t > 3) as u32,
        _ => any(t > 3) as u32,
    };
    y[t] = tile[63 - t] + votes; // race
}

#[gpu_kernel]
fn strided_fill(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 256]);
    let t = thread_idx().x;
    for i in (t..256).step_by(64) {
        tile[i] = x[i]; // race
    }
    if how == 0 {
        sync_threads();
    }
    let mut sum = 0;
    for i in 4 * t..4 * t + 4 {
        sum += tile[i]; // race
    }
    y[t] = sum;
}

#[gpu_kernel]
fn reversed_in_place(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    if how == 1 || t < 32 {
        let other = x[63 - t]; // race
        y[t] = x[t]; // race
        x[63 - t] = y[t]; // race
        x[t] = other; // race
    }
}

#[gpu_kernel]
fn bytes_side_by_side(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut bytes = shared!([u8; 64]);
    let t = thread_idx().x;
    let place = if how == 1 { t / 2 } else { t };
    bytes[place] = x[t] as u8; // race
    y[t] = bytes[place] as u32; // race
}

#[gpu_kernel]
fn words_and_halves(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    {
        let wide = x.reinterpret_mut::<u64>();
        wide[t] = t as u64; // race
    }
    y[t] = x[2 * t + if how == 1 { 3 } else { 1 }]; // race
}

#[gpu_kernel]
fn carried_sum(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    x[t] = t;
    sync_threads();
    let below = if t > 0 { x[t - 1] } else { 0 }; // race
    if how == 0 {
        sync_threads();
    }
    if how == 2 {
        fence_block();
    }
    x[t] += below; // race
    y[t] = x[t];
}

#[gpu_kernel]
fn bitonic(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut keys = shared!([u32; 64]);
    let t = thread_idx().x;
    keys[t] = x[t] ^ (t * 37 % 64); // race 2
    if how != 2 {
        sync_threads();
    }
    let mut size = 2u32;
    while size <= 64 {
        let mut stride = size / 2;
        while stride > 0 {
            let other = t ^ stride;
            if other > t {
                let (a, b) = (keys[t], keys[other]); // race
                if (a > b) == (t & size == 0) {
                    keys[t] = b; // race 1
                    keys[other] = a; // race 1
                }
            }
            if how != 1 {
                sync_threads();
            }
            stride /= 2;
        }
        size *= 2;
    }
    y[t] = keys[t]; // race 1
}

#[gpu_kernel]
fn tiled_product(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut a = shared!([[u32; 8]; 8]);
    let mut b = shared!([[u32; 8]; 8]);
    let (i, j) = (thread_idx().x, thread_idx().y);
    let mut sum = 0;
    for step in 0..2u32 {
        a[j][i] = x[j * 16 + step * 8 + i]; // race
        b[j][i] = x[256 + (step * 8 + j) * 8 + i]; // race
        if how != 1 {
            sync_threads();
        }
        for k in 0..8u32 {
            sum += a[j][k] * b[k][i]; // race
        }
        if how != 2 {
            sync_threads();
        }
    }
    y[j * 8 + i] = sum;
}

/// Two of three warps meet at a barrier of their own.
#[gpu_kernel]
fn named_pair(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = shared!([u32; 96]);
    let t = thread_idx().x;
    tile[t] = x[t]; // race
    let readers = if how == 2 { 96 } else { 64 };
    if uniform(t / 32) < 2 && how != 1 {
        named_barrier_sync(1, 64);
    }
    if t < readers {
        y[t] = tile[(t + 32) % if how == 2 { 96 } else { 64 }]; // race
    }
}

/// One warp fills, the other empties, twice.
#[gpu_kernel]
fn named_producer(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut box_ = shared!([u32; 32]);
    let (warp, lane) = (warp_id(), lane_id());
    for round in 0..2u32 {
        if warp == 0 {
            if round > 0 && how != 1 {
                named_barrier_sync(2, 64);
            }
            if how == 2 {
                named_barrier_arrive(1 + 2 * round, 64);
            }
            box_[lane] = x[round * 32 + lane]; // race
            if how != 2 {
                named_barrier_arrive(1 + 2 * round, 64);
            }
        } else {
            if how != 3 {
                named_barrier_sync(1 + 2 * round, 64);
            }
            y[round * 32 + lane] = box_[31 - lane]; // race
            if how == 3 {
                named_barrier_sync(1 + 2 * round, 64);
            }
            if round == 0 && how != 1 {
                named_barrier_arrive(2, 64);
            }
        }
    }
}

#[gpu_kernel]
fn dynamic_array(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut tile = dynamic_shared::<u32>();
    let t = thread_idx().x;
    tile[t] = x[t]; // race
    if how == 0 {
        sync_threads();
    }
    y[t] = tile[t ^ 32]; // race
}

/// Two numbers side by side.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Pair {
    a: u32,
    b: u32,
}

#[gpu_kernel]
fn struct_fields(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let mut pairs = shared!([Pair; 32]);
    let t = thread_idx().x;
    if how == 1 || t < 32 {
        pairs[t % 32].a = x[t]; // race
    } else {
        pairs[t % 32].b = x[t];
    }
    if t < 32 && how == 0 {
        y[t] = pairs[t].a;
    }
}

/// Even threads write, odd ones read.
#[gpu_kernel]
fn swapped_halves(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    if t % 2 == 0 {
        x[t] = 1; // race
    } else {
        y[t] = x[if how == 1 { t - 1 } else { t }]; // race
    }
}

#[gpu_kernel]
fn filled_slice(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    let from = if how == 1 { 3 * t } else { 4 * t };
    y[from..from + 4].fill(x[t]); // race
}

#[gpu_kernel]
fn copied_slice(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    let from = if how == 1 { 3 * t } else { 4 * t };
    y[from..from + 4].copy_from_slice(&x[4 * t..4 * t + 4]); // race
}

/// A warp that returns without having arrived has not met the others.
#[gpu_kernel]
fn named_and_gone(x: &mut [u32], y: &mut [u32], #[comptime] how: u32) {
    let t = thread_idx().x;
    if uniform(warp_id()) == 0 {
        x[t] = t; // race
        if how == 0 {
            named_barrier_arrive(1, 96);
        }
    } else {
        named_barrier_sync(1, if how == 0 { 96 } else { 64 });
        y[t] = x[t % 32]; // race
    }
}
