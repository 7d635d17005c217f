//! Bitonic sort of a block's keys in shared memory.

use warpsmith::prelude::*;

/// Keys that a block sorts.
pub const SORT_KEYS: u32 = 1024;
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
    let t = thread_idx().x;
    let start = block_idx().x * SORT_KEYS;
    tile[t] = keys[start + t];
    tile[t + SORT_THREADS] = keys[start + t + SORT_THREADS];
    let mut size = 2;
    while size <= SORT_KEYS {
        let ascending = t & (size / 2) == 0;
        let mut stride = size / 2;
        while stride > 0 {
            sync_threads();
            let low = 2 * t - (t & (stride - 1));
            put_in_order(&mut tile[low..], stride, ascending);
            stride /= 2;
        }
        size *= 2;
    }
    sync_threads();
    sorted[start + t] = tile[t];
    sorted[start + t + SORT_THREADS] = tile[t + SORT_THREADS];
}
