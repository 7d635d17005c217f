//! Methods of arrays by value, written in the kernel language.

use warpsmith_macros::gpu_fn;

use crate::types::DeviceType;
use crate::witness::{FnProbe, never_called};

/// The function behind `map`.
#[doc(hidden)]
#[gpu_fn]
#[allow(dead_code, clippy::needless_range_loop, reason = "its emitter is called; it defines the method")]
pub fn map<T: DeviceType + Copy, U: DeviceType + Copy, const N: usize>(
    array: [T; N],
    mut f: impl FnMut(T) -> U,
) -> [U; N] {
    assert!(N > 0, "`map` takes arrays of at least one element in a kernel");
    let mut mapped = [f(array[0]); N];
    for i in 1..N {
        mapped[i] = f(array[i]);
    }
    mapped
}

/// Methods of arrays by value.
pub trait ArrayMap<T: DeviceType + Copy, const N: usize>: Sized {
    #[doc(hidden)]
    fn map_in_kernels<U: DeviceType + Copy, F: FnMut(T) -> U>(
        self,
        _: F,
        _probe: &FnProbe<map<T, U, N>>,
    ) -> [U; N] {
        never_called()
    }
}

impl<T: DeviceType + Copy, const N: usize> ArrayMap<T, N> for [T; N] {}
