use warpsmith::prelude::*;

#[gpu_fn]
fn total(x: &[u32]) -> u32 {
    x[0] + x[1]
}

#[gpu_fn]
fn with_length(x: &[u32; 3]) -> (&[u32; 3], u32) {
    (x, 3)
}

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let parts = [1u32, 2, 3];
    let pair = with_length(&parts);
    y[0] = total(pair.0);
}

fn main() {}
