use warpsmith::prelude::*;

#[gpu_fn]
fn min_of(a: u32, b: u32) -> u32 {
    a.min(b)
}

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[0] = min_of(y[0], limit);
}

fn main() {}
