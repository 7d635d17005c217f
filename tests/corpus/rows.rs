//! Row-wise kernels, one block a row: online softmax and RMS normalisation.

use warpsmith::prelude::*;

/// Threads of a block.
pub const ROW_THREADS: u32 = 256;
/// Warps of a block.
const WARPS: u32 = ROW_THREADS / 32;

/// The largest value so far, and the sum of `exp(value - max)`.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
pub struct Running {
    max: f32,
    sum: f32,
}

#[gpu_impl]
impl Running {
    /// The sum of no elements.
    ///
    /// Finite: the difference of two of these is zero rather than NaN.
    fn nothing() -> Self {
        Running { max: f32::MIN, sum: 0.0 }
    }

    /// The summary of both.
    fn join(self, other: Running) -> Running {
        let max = self.max.max(other.max);
        let sum = self.sum * fast_exp(self.max - max) + other.sum * fast_exp(other.max - max);
        Running { max, sum }
    }

    /// Takes four values in; the old sum is rescaled once.
    fn add(&mut self, v: F32x4) {
        let max = self.max.max(v.x.max(v.y).max(v.z.max(v.w)));
        let added = fast_exp(v.x - max) + fast_exp(v.y - max) + fast_exp(v.z - max) + fast_exp(v.w - max);
        self.sum = self.sum * fast_exp(self.max - max) + added;
        self.max = max;
    }

    /// The summary of all lanes, in every lane.
    fn join_warp(self) -> Running {
        let mut all = self;
        #[unroll]
        for mask in [16, 8, 4, 2, 1u32] {
            all = all.join(Running { max: shfl_xor(all.max, mask), sum: shfl_xor(all.sum, mask) });
        }
        all
    }
}

/// Softmax of each row; `x` and `y`: row-major `[rows, width]` as vectors of four columns.
///
/// One block of [`ROW_THREADS`] a row. The maximum and the sum come from one pass over the row, the
/// quotients from a second, which finds the row in cache.
#[gpu_kernel(noalias)]
pub fn softmax(x: &[F32x4], y: &mut [F32x4], width: u32) {
    let mut maxima = shared!([f32; WARPS]);
    let mut sums = shared!([f32; WARPS]);
    let vectors = width / 4;
    let start = block_idx().x as usize * vectors as usize;
    let row = &x[start..start + vectors as usize];
    let out = &mut y[start..start + vectors as usize];

    let mut mine = Running::nothing();
    let mut i = thread_idx().x;
    while i < vectors {
        mine.add(row[i]);
        i += ROW_THREADS;
    }
    let warp = mine.join_warp();
    if lane_id() == 0 {
        maxima[warp_id()] = warp.max;
        sums[warp_id()] = warp.sum;
    }
    sync_threads();
    let mut all = Running { max: maxima[0], sum: sums[0] };
    #[unroll]
    for w in 1..WARPS {
        all = all.join(Running { max: maxima[w], sum: sums[w] });
    }
    let scale = 1.0 / all.sum;
    i = thread_idx().x;
    while i < vectors {
        let v = row[i];
        let e = F32x4::new(
            fast_exp(v.x - all.max),
            fast_exp(v.y - all.max),
            fast_exp(v.z - all.max),
            fast_exp(v.w - all.max),
        );
        out[i] = e * scale;
        i += ROW_THREADS;
    }
}

/// The sum of `value` over the threads of a block, in every thread.
#[gpu_fn]
fn block_sum(value: f32) -> f32 {
    let mut sums = shared!([f32; WARPS]);
    let mut sum = value;
    #[unroll]
    for mask in [16, 8, 4, 2, 1u32] {
        sum += shfl_xor(sum, mask);
    }
    if lane_id() == 0 {
        sums[warp_id()] = sum;
    }
    sync_threads();
    sum = 0.0;
    #[unroll]
    for w in 0..WARPS {
        sum += sums[w];
    }
    sum
}

/// `y = x / sqrt(mean(x²) + epsilon) * weight` of each row of `1024 * VECTORS` columns.
///
/// One block of [`ROW_THREADS`] a row, `VECTORS` vectors of four columns a thread. Their products with
/// the weights stay in registers until the sum is known: a row is read once.
#[gpu_kernel(noalias)]
pub fn rms_norm<const VECTORS: usize>(x: &[F32x4], weight: &[F32x4], y: &mut [F32x4], epsilon: f32) {
    const THREADS: usize = ROW_THREADS as usize;
    // The block is no larger; said here, it leaves no index to be checked.
    let t = thread_idx().x as usize % THREADS;
    let start = block_idx().x as usize * VECTORS * THREADS;
    let x = &x[start..start + VECTORS * THREADS];
    let weight = &weight[..VECTORS * THREADS];
    let y = &mut y[start..start + VECTORS * THREADS];
    let mut row = [F32x4::splat(0.0); VECTORS];
    let mut squares = 0.0;
    #[unroll]
    for i in 0..VECTORS {
        let v = x[i * THREADS + t];
        squares += v.dot(v);
        row[i] = v * weight[i * THREADS + t];
    }
    let mean = block_sum(squares) / (VECTORS * THREADS * 4) as f32;
    let scale = rsqrt(mean + epsilon);
    #[unroll]
    for i in 0..VECTORS {
        y[i * THREADS + t] = row[i] * scale;
    }
}
