//! `core::array::from_fn` in a kernel, written in the kernel language.

use core::marker::PhantomData;

use warpsmith_macros::gpu_fn;

use crate::record::Callee;
use crate::types::DeviceType;
use crate::witness::{DeviceFn, FnProbe, another};

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

/// What `array::from_fn` is on the device, where a body imports it or its module: the function `F` is Rust's, or the kernel is refused.
#[doc(hidden)]
pub mod named {
    use super::*;

    /// The instance for `[T; N]`. It has the name of the function, as device sides do.
    #[allow(non_camel_case_types)]
    pub struct from_fn<F, T, const N: usize>(PhantomData<fn() -> (F, T)>);

    impl<F, T: DeviceType + Copy, const N: usize> DeviceFn for from_fn<F, T, N> {
        fn callee() -> Callee {
            let name = core::any::type_name::<F>();
            match name.split('<').next() {
                Some("core::array::from_fn") => super::from_fn::<T, N, ()>::callee(),
                _ => Callee::Recorded(another::<F>),
            }
        }
    }
}

/// What a body finds beside `array::from_fn`, if the module of that path has no device side of its own.
#[doc(hidden)]
#[allow(non_camel_case_types, missing_docs)]
pub mod imported {
    use super::*;

    /// For a call without generic arguments.
    pub mod plain {
        use super::*;

        pub struct __device_side {}
        pub fn __device_side() {}

        impl __device_side {
            pub fn called_in_a_kernel<T: DeviceType + Copy, const N: usize, C, F: Fn(C) -> [T; N]>(
                _: F,
                _: &FnProbe<named::from_fn<F, T, N>>,
            ) {
            }
        }
    }

    /// For a call whose generic arguments are written.
    pub mod written {
        use super::*;

        pub struct __device_side<T, const N: usize, C> {
            _types: PhantomData<fn() -> (T, C)>,
        }
        pub fn __device_side<T, const N: usize, C>() {}

        impl<T: DeviceType + Copy, const N: usize, C> __device_side<T, N, C> {
            pub fn called_in_a_kernel<F: Fn(C) -> [T; N]>(_: F, _: &FnProbe<named::from_fn<F, T, N>>) {}
        }
    }
}
