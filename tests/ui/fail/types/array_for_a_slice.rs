use warpsmith::prelude::*;

#[gpu_fn]
fn total(x: &[u32]) -> u32 {
    x[0] + x[1]
}

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let parts = [1u32, 2, 3];
    let pair = (&parts, 5);
    y[0] = total(pair.0);
}

fn main() {}
