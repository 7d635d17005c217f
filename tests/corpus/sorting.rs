//! Bitonic sort of a block's keys in shared memory.

use warpsmith::prelude::*;

/// Keys that a block sorts.
pub const SORT_KEYS: u32 = 1 << LOG_KEYS;
const LOG_KEYS: u32 = 10;
/// Threads of a block: each compares two keys a step.
pub const SORT_THREADS: u32 = SORT_KEYS / 2;

/// Puts the first key and the one `other` places on in order, ascending or descending.
#[gpu_fn]
fn put_in_order<K: Num>(keys: &mut [K], other: u32, ascending: bool) {
    let (a, b) = (keys[0], keys[other]);
    if (a > b) == ascending {
        keys[0] = b;
        keys[other] = a;
    }
}

/// Each [`SORT_KEYS`] keys in ascending order; the length is a multiple of that.
#[gpu_kernel]
pub fn bitonic_sort(keys: &[u32], sorted: &mut [u32]) {
    let mut tile = shared!([u32; SORT_KEYS]);
    // The block is no larger; said here, it leaves no index of the tile to be checked.
    let t = thread_idx().x % SORT_THREADS;
    let start = block_idx().x * SORT_KEYS;
    tile[t] = keys[start + t];
    tile[t + SORT_THREADS] = keys[start + t + SORT_THREADS];
    #[unroll]
    for log_size in 1..LOG_KEYS + 1 {
        let ascending = t & (1 << (log_size - 1)) == 0;
        #[unroll]
        for step in 1..log_size + 1 {
            sync_threads();
            let stride = 1 << (log_size - step);
            // The thread's number with a zero put in at the bit of the stride.
            let low = 2 * t - (t & (stride - 1));
            put_in_order(&mut tile[low..], stride, ascending);
        }
    }
    sync_threads();
    sorted[start + t] = tile[t];
    sorted[start + t + SORT_THREADS] = tile[t + SORT_THREADS];
}
