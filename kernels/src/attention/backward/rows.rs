//! What the gradients of attention need of each query beside the products: the logarithms and means before them, and the gradients of
//! queries from their parts after them.

use warpsmith::prelude::*;
use warpsmith::ptx::*;
use warpsmith::tensor::{Accumulator, Fragment, Swizzle128};
use warpsmith::types::DeviceType;

use super::kernel::PART;
use crate::attention::shape::Shape;
use crate::pack::Pack;
use crate::products::TensorCoreElement;

/// Threads of a block that computes means.
pub const THREADS: u32 = 256;

/// Threads of a block that joins parts.
pub const JOINING: u32 = 128;
/// Shared memory of such a block, in bytes, for elements of two bytes.
pub const SHARED: usize = 2 * PART;

/// Lanes that share a query.
const LANES: u32 = 16;

/// Queries of a block.
pub const QUERIES: usize = (THREADS / LANES) as usize;

/// Where the results of queries and their gradients lie.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Vectors {
    /// Elements of a vector.
    pub size: u32,
    /// Queries of a head, filled up to whole steps.
    pub filled: u32,
    /// Elements from one sequence, head and token of results to the next.
    pub o: [usize; 3],
    /// The same of their gradients.
    pub of_o: [usize; 3],
}

/// Writes two lines of `numbers` for each head: the logarithms of its queries, `lse` to the base 2, and the means of the gradients of
/// their weights, `o · of_o`. Zeroes `dq`, of which a query has `packs` packs.
///
/// The grid has exactly as many threads as heads have queries, filled up. Queries that see no key, and those behind the last, have the logarithm infinity: their weights are zero.
#[allow(clippy::too_many_arguments, reason = "inputs, results and extents")]
#[gpu_kernel]
pub fn attention_means<T: TensorCoreElement + DeviceType<Erased = T>>(
    o: &[T],
    of_o: &[T],
    lse: &[f32],
    numbers: &mut [f32],
    dq: &mut [F32x4],
    packs: u32,
    at: Vectors,
    shape: Shape,
) {
    let lane = lane_id() % LANES;
    let row = global_id() / LANES as usize;
    let (line, query) = (row / at.filled as usize, row % at.filled as usize);
    for i in (lane..packs).step_by(LANES as usize) {
        dq[row * packs as usize + i as usize] = F32x4::splat(0.0);
    }
    let (sequence, head) = (line / shape.heads as usize, line % shape.heads as usize);
    let is_there = query < shape.queries as usize;
    let mut mean = 0.0f32;
    if is_there && lane * 8 < at.size {
        let element = |of: [usize; 3]| sequence * of[0] + head * of[1] + query * of[2] + lane as usize * 8;
        let (a, b) = unsafe {
            (
                *(o.as_ptr().wrapping_add(element(at.o)) as *const Pack<T, 8>),
                *(of_o.as_ptr().wrapping_add(element(at.of_o)) as *const Pack<T, 8>),
            )
        };
        #[unroll]
        for e in 0..8usize {
            mean = a.0[e].cast::<f32>().mul_add(b.0[e].cast::<f32>(), mean);
        }
    }
    #[unroll]
    for i in 0..4u32 {
        mean += shfl_xor(mean, 1 << i);
    }
    if lane == 0 {
        let mut logarithm = f32::INFINITY;
        if is_there {
            let sum = lse[line * shape.queries as usize + query];
            if sum != f32::NEG_INFINITY {
                logarithm = sum * core::f32::consts::LOG2_E;
            }
        }
        let first = 2 * line * at.filled as usize + query;
        numbers[first] = logarithm;
        numbers[first + at.filled as usize] = mean;
    }
}

/// Stores `scale` times the gradients of queries, a part of 64 × 64 by each block of a warpgroup.
#[gpu_kernel(launch_bounds(128))]
pub fn attention_join<T: TensorCoreElement + DeviceType<Erased = T>, const D: usize, const QUERIES: usize>(
    parts: &[F32x4],
    dq: &mut TensorMapMut4<T, 1, 1, 64, 64, Swizzle128>,
    shape: Shape,
    scale: f32,
) {
    let tile = shared!(Tile<T, 64, 64, Swizzle128>);
    let (number, thread) = (block_idx().x, thread_idx().x);
    let mut sums = Accumulator::<f32, 64>::zero();
    #[unroll]
    for j in 0..8usize {
        let x = parts[number as usize * (PART / 4) + j * 128 + thread as usize];
        let four = [x.x, x.y, x.z, x.w];
        #[unroll]
        for e in 0..4usize {
            sums.set(j * 4 + e, four[e] * scale);
        }
    }
    sums.store_tile(tile, 0, |x| x.cast::<T>());
    fence_proxy_async();
    sync_threads();
    let tiles = shape.tiles_of_queries(QUERIES as i32);
    let (line, group) = (number / 2 / tiles, number % 2);
    let first = number / 2 % tiles * QUERIES as u32;
    let [row, col] = if D == 64 { [first + group * 64, 0] } else { [first, group * 64] };
    // The copy engine leaves out queries behind the last.
    if thread == 0 && (row as i32) < shape.queries {
        tma_store(dq, [line / shape.heads, line % shape.heads, row, col], tile);
        bulk_commit();
        bulk_wait_read::<0>();
    }
}
