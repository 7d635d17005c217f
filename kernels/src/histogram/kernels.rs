//! The kernels of histograms, by the memory of their counters.

use warpsmith::prelude::*;

use super::Binned;
use super::binned::NONE;
use super::sums::Weight;
use crate::pack::Pack;

/// Threads of a block.
pub const BLOCK_THREADS: u32 = 512;
/// A counter of 16 bits that reaches this number is reduced by it. Until then, all threads of a block together add less than this.
const HALF: u32 = 1 << 15;

/// The elements outside packs.
#[derive(Clone, Copy, Debug, GpuType)]
#[repr(C)]
pub struct Values {
    /// Number of elements before the first pack.
    pub head: usize,
    /// Number of the first element behind the packs.
    pub tail: usize,
}

/// Sets all bins to zero.
#[gpu_kernel(launch_bounds(BLOCK_THREADS), noalias)]
pub fn clear_bins<W: Weight>(bins: &mut [W]) {
    for i in (global_id()..bins.len()).step_by(global_size()) {
        bins[i] = W::ZERO;
    }
}

/// Counts with counters in the block's shared memory. There are `copies` of them, `stride` words apart, and neighbouring lanes use
/// different ones: equal values do not meet in one counter.
///
/// With `PACKED`, a word has two counters. A counter that reaches half of its range is reduced by that, and its bin gets it.
#[gpu_kernel(launch_bounds(BLOCK_THREADS), noalias)]
pub fn histogram_by_blocks<T: Binned, const N: usize, const PACKED: bool>(
    x: &[T],
    packs: &[Pack<T, N>],
    values: Values,
    bounds: T::Bounds,
    copies: u32,
    stride: u32,
    bins: &mut [u32],
) {
    let mut words = dynamic_shared::<u32>();
    let t = thread_idx().x as usize;
    for i in (t..(copies * stride) as usize).step_by(BLOCK_THREADS as usize) {
        words[i] = 0;
    }
    sync_threads();
    let mine = (thread_idx().x % copies * stride) as usize;
    let step = global_size();
    let mut p = global_id();
    while p + 3 * step < packs.len() {
        let (a, b, c, d) = (packs[p], packs[p + step], packs[p + 2 * step], packs[p + 3 * step]);
        count_runs::<T, N, PACKED>(&mut words[mine..], bins, a, bounds);
        count_runs::<T, N, PACKED>(&mut words[mine..], bins, b, bounds);
        count_runs::<T, N, PACKED>(&mut words[mine..], bins, c, bounds);
        count_runs::<T, N, PACKED>(&mut words[mine..], bins, d, bounds);
        p += 4 * step;
    }
    while p < packs.len() {
        count_runs::<T, N, PACKED>(&mut words[mine..], bins, packs[p], bounds);
        p += step;
    }
    let i = global_id();
    if i < values.head {
        count_many::<PACKED>(&mut words[mine..], bins, x[i].bin(bounds), 1);
    }
    if values.tail + i < x.len() {
        count_many::<PACKED>(&mut words[mine..], bins, x[values.tail + i].bin(bounds), 1);
    }
    sync_threads();
    for bin in (t..bins.len()).step_by(BLOCK_THREADS as usize) {
        let mut total = 0u32;
        for copy in 0..copies {
            let at = (copy * stride) as usize;
            total += if PACKED { words[at + bin / 2] >> (bin % 2 * 16) & 0xffff } else { words[at + bin] };
        }
        if total > 0 {
            atomic_add(&mut bins[bin], total);
        }
    }
}

/// Counts the values of a pack in shared memory.
#[gpu_fn]
fn count_runs<T: Binned, const N: usize, const PACKED: bool>(
    words: &mut [u32],
    bins: &mut [u32],
    pack: Pack<T, N>,
    bounds: T::Bounds,
) {
    each_run::<T, N>(pack, bounds, |bin, run| count_many::<PACKED>(words, bins, bin, run));
}

/// Calls `count` with each bin of a pack's values, and the number of consecutive values in it.
#[gpu_fn]
fn each_run<T: Binned, const N: usize>(pack: Pack<T, N>, bounds: T::Bounds, mut count: impl FnMut(u32, u32)) {
    let mut bin = pack.0[0].bin(bounds);
    let mut run = 1u32;
    #[unroll]
    for k in 1..N {
        let next = pack.0[k].bin(bounds);
        if next == bin {
            run += 1;
        } else {
            count(bin, run);
            bin = next;
            run = 1;
        }
    }
    count(bin, run);
}

#[gpu_fn]
fn count_many<const PACKED: bool>(words: &mut [u32], bins: &mut [u32], bin: u32, count: u32) {
    if bin == NONE {
        return;
    }
    if PACKED {
        let shift = bin % 2 * 16;
        let before = atomic_add(&mut words[bin / 2], count << shift) >> shift & 0xffff;
        if before < HALF && before + count >= HALF {
            atomic_sub(&mut words[bin / 2], HALF << shift);
            atomic_add(&mut bins[bin], HALF);
        }
    } else {
        atomic_add(&mut words[bin], count);
    }
}

/// Counts in global memory.
#[gpu_kernel(launch_bounds(BLOCK_THREADS), noalias)]
pub fn histogram_in_memory<T: Binned, const N: usize>(
    x: &[T],
    packs: &[Pack<T, N>],
    values: Values,
    bounds: T::Bounds,
    bins: &mut [u32],
) {
    for p in (global_id()..packs.len()).step_by(global_size()) {
        each_run::<T, N>(packs[p], bounds, |bin, run| count_in_bin(bins, bin, run));
    }
    let i = global_id();
    if i < values.head {
        count_in_bin(bins, x[i].bin(bounds), 1);
    }
    if values.tail + i < x.len() {
        count_in_bin(bins, x[values.tail + i].bin(bounds), 1);
    }
}

#[gpu_fn]
fn count_in_bin(bins: &mut [u32], bin: u32, count: u32) {
    if bin != NONE {
        atomic_add(&mut bins[bin], count);
    }
}
