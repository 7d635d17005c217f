use warpsmith::prelude::*;

#[gpu_fn]
fn zero<const N: u32>() -> u32 {
    N
}

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[0] = zero();
}

fn main() {}
