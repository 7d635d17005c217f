//! Methods and functions of the user's own that are named as those of iterators, slices and CUDA.

use harness::agree;
use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Own {
    v: u64,
}

#[gpu_impl]
impl Own {
    fn position(self, by: u64) -> u64 {
        self.v + by
    }

    fn map(self, by: u64) -> u64 {
        self.v * by
    }

    fn fold(&self, by: u64) -> u64 {
        self.v ^ by
    }

    fn split(self, by: u64) -> (u64, u64) {
        (self.v / by, self.v % by)
    }
}

#[gpu_fn]
fn sinf(x: u64) -> u64 {
    x + 3
}

#[gpu_fn]
fn memcpy(x: u64) -> u64 {
    x + 4
}

#[gpu_kernel]
fn methods(x: &[u64], out: &mut [u64]) {
    let own = Own { v: x[9] };
    let p = own.position(3);
    let (high, low) = own.split(4);
    out[0] = p + own.map(4);
    out[1] = own.fold(2) + high * 100 + low;
}

#[gpu_fn]
fn path(x: u64) -> u64 {
    x + 5
}

#[gpu_fn]
fn expect(x: u64) -> u64 {
    x + 6
}

#[gpu_fn]
fn feature<T: Num>(x: T) -> T {
    x + x
}

/// Functions that are named as attributes of rustc's.
#[gpu_kernel]
fn attributes(x: &[u64], out: &mut [u64]) {
    #[gpu_fn]
    fn cold(x: u64) -> u64 {
        path(x) * 2
    }
    out[0] = path(x[1]) * expect(x[2]) + feature(x[3]);
    out[1] = cold(x[4]) + self::path(x[5]);
}

#[gpu_kernel]
fn functions(x: &[u64], out: &mut [u64]) {
    out[0] = self::sinf(x[1]) * self::memcpy(x[2]);
}

agree! { methods functions attributes }
