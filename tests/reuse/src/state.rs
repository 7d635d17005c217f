//! Statics that kernels of several crates share.

use warpsmith::prelude::*;

/// Factors of even and odd places.
#[gpu_const]
pub static GAIN: [f32; 2] = [2.0, -1.0];

/// Calls of [`count`] on a device.
#[gpu_static]
pub static CALLS: u64 = 0;

/// Counts a call; how many there were before.
#[gpu_fn]
pub fn count() -> u64 {
    atomic(CALLS.get_mut()).fetch_add(1, Ordering::Relaxed)
}
