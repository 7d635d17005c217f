use warpsmith::prelude::*;

#[gpu_fn]
fn double<T: GpuType>(a: T) -> T {
    a + a
}

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    y[0] = double(y[0]);
}

fn main() {}
