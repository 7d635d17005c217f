//! `core::array::from_fn` in a kernel, written in the kernel language.

use warpsmith_macros::gpu_fn;

use crate::types::DeviceType;

/// `core::array::from_fn` in kernels: `[f(0), f(1), …]`. `N` is at least 1: an array without elements would have no first one to begin with.
#[doc(hidden)]
#[gpu_fn]
#[allow(dead_code, clippy::needless_range_loop, reason = "its emitter is called; it defines the function")]
pub fn from_fn<T: DeviceType + Copy, const N: usize, F: FnMut(usize) -> T>(mut f: F) -> [T; N] {
    assert!(N > 0, "`from_fn` makes arrays of at least one element in a kernel");
    let mut made = [f(0); N];
    for i in 1..N {
        made[i] = f(i);
    }
    made
}
