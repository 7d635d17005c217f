//! The kernels of histograms whose values have weights, or whose bins lie between given edges.

use warpsmith::prelude::*;

use super::Binned;
use super::binned::{NONE, outside};
use super::kernels::BLOCK_THREADS;
use crate::number::Number;

/// Values of a thread that are loaded before the first of them is added.
const AT_ONCE: usize = 8;

/// A weight of a value: `u32`, `i32`, `u64`, `i64`, `f32` or `f64`. Sums of integers wrap.
#[gpu_trait]
pub trait Weight: Number + AtomicAdd + 'static {}

macro_rules! weights {
    ($($t:ident)+) => {$(
        #[gpu_impl]
        impl Weight for $t {}
    )+};
}

weights! { u32 i32 u64 i64 f32 f64 }

/// The shared memory of a block: copies of the counters, and the edges behind them.
#[derive(Clone, Copy, Debug, PartialEq, GpuType)]
#[repr(C)]
pub struct Room {
    /// Copies of the counters.
    pub copies: u32,
    /// Counters from one copy to the next.
    pub stride: u32,
    /// Where the edges begin, in edges.
    pub first_edge: u32,
}

/// Adds the weights of the values in each bin, or one for each value, in the block's shared memory, and then to `bins`.
///
/// Bin `i` lies between `edges[i]` and `edges[i + 1]`, or, without `by_edges`, within `bounds`. Neighbouring lanes use different copies
/// of the counters: equal values do not meet in one counter.
#[gpu_kernel(launch_bounds(BLOCK_THREADS), noalias)]
pub fn sums_by_blocks<T: Binned, W: Weight>(
    x: &[T],
    weights: &[W],
    edges: &[T],
    bounds: T::Bounds,
    room: Room,
    bins: &mut [W],
    #[comptime] by_edges: bool,
    #[comptime] is_weighted: bool,
    #[comptime] is_clamped: bool,
) {
    let mut sums = dynamic_shared::<W>();
    let mut memory = dynamic_shared::<T>();
    let t = thread_idx().x as usize;
    for i in (t..(room.copies * room.stride) as usize).step_by(BLOCK_THREADS as usize) {
        sums[i] = W::ZERO;
    }
    let here = &mut memory[room.first_edge as usize..];
    for i in (t..edges.len()).step_by(BLOCK_THREADS as usize) {
        here[i] = edges[i];
    }
    sync_threads();
    let edges_here = &here[..edges.len()];
    let mine = &mut sums[(thread_idx().x % room.copies * room.stride) as usize..];
    each_value::<T, W>(x, weights, is_weighted, |value, weight| {
        let bin = if by_edges { between::<T>(value, edges_here, is_clamped) } else { value.bin(bounds) };
        if bin != NONE {
            atomic_add(&mut mine[bin], weight);
        }
    });
    sync_threads();
    for bin in (t..bins.len()).step_by(BLOCK_THREADS as usize) {
        let mut total = W::ZERO;
        for copy in 0..room.copies {
            total = total.summed(sums[(copy * room.stride) as usize + bin]);
        }
        if total != W::ZERO {
            atomic_add(&mut bins[bin], total);
        }
    }
}

/// The same with counters and edges in global memory.
#[gpu_kernel(launch_bounds(BLOCK_THREADS), noalias)]
pub fn sums_in_memory<T: Binned, W: Weight>(
    x: &[T],
    weights: &[W],
    edges: &[T],
    bounds: T::Bounds,
    bins: &mut [W],
    #[comptime] by_edges: bool,
    #[comptime] is_weighted: bool,
    #[comptime] is_clamped: bool,
) {
    each_value::<T, W>(x, weights, is_weighted, |value, weight| {
        let bin = if by_edges { between::<T>(value, edges, is_clamped) } else { value.bin(bounds) };
        if bin != NONE {
            atomic_add(&mut bins[bin], weight);
        }
    });
}

/// Calls `add` with each of the thread's values and its weight.
#[gpu_fn]
fn each_value<T: Binned, W: Weight>(x: &[T], weights: &[W], is_weighted: bool, mut add: impl FnMut(T, W)) {
    let step = global_size();
    let mut first = global_id();
    while first + (AT_ONCE - 1) * step < x.len() {
        let mut values = [T::ZERO; AT_ONCE];
        let mut of_values = [W::ONE; AT_ONCE];
        #[unroll]
        for k in 0..AT_ONCE {
            values[k] = x[first + k * step];
        }
        if is_weighted {
            #[unroll]
            for k in 0..AT_ONCE {
                of_values[k] = weights[first + k * step];
            }
        }
        #[unroll]
        for k in 0..AT_ONCE {
            add(values[k], of_values[k]);
        }
        first += AT_ONCE * step;
    }
    while first < x.len() {
        add(x[first], if is_weighted { weights[first] } else { W::ONE });
        first += step;
    }
}

/// The bin of a value between ascending edges. Each bin has its lower edge, and not its upper one. Edges in another order lead to some bin.
#[gpu_fn]
fn between<T: Binned>(value: T, edges: &[T], is_clamped: bool) -> u32 {
    let bins = edges.len() as u32 - 1;
    if value >= edges[0] && value < edges[bins] {
        // The bin is one of `count` from `first` on.
        let (mut first, mut count) = (0u32, bins);
        while count > 1 {
            let half = count / 2;
            if value >= edges[first + half] {
                first += half;
            }
            count -= half;
        }
        return first;
    }
    outside::<T>(value, edges[0], edges[bins], bins, is_clamped)
}
