//! The kernels that several examples of a page launch. Each is in the page, as it is here.

use warpsmith::prelude::*;
use warpsmith::ptx::warpgroup_id;
use warpsmith::tensor::Accumulator;

pub const TILE: usize = 16;
pub const SIDE: usize = 64;

/// y[i] = a * x[i] + y[i]
#[gpu_kernel]
pub fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

/// c = a * b. `a`: row-major `[m, k]`; `b`: `[k, n]`; `c`: `[m, n]`. The extents are multiples of 16.
#[gpu_kernel]
pub fn product(a: View2<f32>, b: View2<f32>, mut c: ViewMut2<f32>) {
    let mut a_tile = shared!([[f32; TILE]; TILE]);
    let mut b_tile = shared!([[f32; TILE]; TILE]);
    let (ty, tx) = (thread_idx().y as usize, thread_idx().x as usize);
    let row = block_idx().y as usize * TILE + ty;
    let col = block_idx().x as usize * TILE + tx;
    let mut sum = 0.0;
    for step in 0..a.cols() / TILE {
        a_tile[ty][tx] = a[(row, step * TILE + tx)];
        b_tile[ty][tx] = b[(step * TILE + ty, col)];
        sync_threads(); // both tiles are complete
        for k in 0..TILE {
            sum += a_tile[ty][k] * b_tile[k][tx];
        }
        sync_threads(); // all threads have read the tiles; the next step may overwrite them
    }
    c[(row, col)] = sum;
}

/// Adds up `x`, one sum for each block. `block`: threads of a block, a power of two from 32 to 1024.
#[gpu_kernel]
pub fn sum<T: Num + Shuffle>(x: &[T], sums: &mut [T], #[comptime] block: u32) {
    let mut shared = shared!([T; block]);
    let t = thread_idx().x;
    let mut total = T::ZERO;
    let mut i = global_id();
    while i < x.len() {
        total += x[i];
        i += global_size();
    }
    shared[t] = total;
    sync_threads();
    let mut stride = block / 2;
    while stride > 32 {
        if t < stride {
            let other = shared[t + stride];
            shared[t] += other;
        }
        sync_threads();
        stride /= 2;
    }
    if t < 32 {
        let mut total = if block >= 64 { shared[t] + shared[t + 32] } else { shared[t] };
        #[unroll]
        for distance in [16, 8, 4, 2, 1] {
            total += shfl_down(total, distance);
        }
        if t == 0 {
            sums[block_idx().x] = total;
        }
    }
}

/// Counts the values of `x` modulo `bins`. Each of the two blocks of a cluster holds half of the bins.
#[gpu_kernel]
pub fn histogram(x: &[u32], counts: &mut [u32], #[comptime] bins: usize) {
    let mut own = shared!([u32; bins / 2]);
    let half = bins / 2;

    let mut i = thread_idx().x as usize;
    while i < half {
        own[i] = 0;
        i += block_dim().x as usize;
    }
    cluster_sync(); // the bins of both blocks are zero

    let mut i = global_id();
    while i < x.len() {
        let bin = x[i] as usize % bins;
        let mut holder = map_shared_rank(&mut own, (bin / half) as u32);
        atomic_add(&mut holder[bin % half], 1);
        i += global_size();
    }
    cluster_sync(); // no block counts any more

    let first = cluster_block_rank() as usize * half;
    let mut i = thread_idx().x as usize;
    while i < half {
        atomic_add(&mut counts[first + i], own[i]);
        i += block_dim().x as usize;
    }
}

#[gpu_kernel]
pub fn scaled(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_id();
    if i < x.len() && i < y.len() {
        y[i] = a * x[i];
    }
}

#[gpu_kernel]
pub fn doubled(x: &[u32], y: &mut [u32]) {
    let i = global_id();
    if i < x.len() && i < y.len() {
        y[i] = 2 * x[i];
    }
}

/// A tile of each factor.
#[derive(Stage)]
struct Step<'a> {
    a: Tile<'a, bf16, SIDE, SIDE, Swizzle128>,
    b: Tile<'a, bf16, SIDE, SIDE, Swizzle128>,
}

/// c = a * b. `a`: row-major `[m, k]`; `b`: `[k, n]`; `c`: `[m, n]`. `steps` is `k / SIDE`, rounded up.
#[gpu_kernel]
pub fn tensor_core_product(
    a: &TensorMap<bf16, SIDE, SIDE, Swizzle128>,
    b: &TensorMap<bf16, SIDE, SIDE, Swizzle128>,
    c: ViewMut2<f32>,
    steps: u32,
) {
    let ring = shared!(Pipeline<Step, 4>);
    let (row, col) = (block_idx().y * SIDE as u32, block_idx().x * SIDE as u32);
    if warpgroup_id() == 1 {
        if thread_idx().x == 128 {
            let mut load = ring.producer();
            for step in 0..steps {
                let slot = load.acquire(); // waits until the tiles there have been read
                slot.load(slot.tiles().a, a, [row, step * SIDE as u32]);
                slot.load(slot.tiles().b, b, [step * SIDE as u32, col]);
                load.commit(slot);
            }
        }
    } else {
        let mut math = ring.consumer();
        let mut sums = Accumulator::<f32, SIDE>::zero();
        for _ in 0..steps {
            let stage = math.wait(); // both tiles are complete
            sums.mma_ab(stage.tiles().a, stage.tiles().b, true);
            math.release(stage); // they have been read; the next copy may overwrite them
        }
        sums.store(c, row as usize, col as usize, |sum| sum);
    }
}
