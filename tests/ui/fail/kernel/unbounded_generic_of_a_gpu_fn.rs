use warpsmith::prelude::*;

#[gpu_fn]
fn twice<T>(x: T) -> T {
    x + x
}

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[0] = twice(y[0]);
}

fn main() {}
