use warpsmith::prelude::*;

#[gpu_fn]
fn half_of<T: Float>(a: T) -> T {
    a
}

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[0] = half_of(y[0]);
}

fn main() {}
