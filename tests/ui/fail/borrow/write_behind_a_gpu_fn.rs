use warpsmith::prelude::*;

#[gpu_fn]
fn fill_one(x: &mut [u32]) {
    x[0] = 1;
}

#[gpu_kernel]
fn kernel(x: &[u32], y: &mut [u32]) {
    fill_one(x);
}

fn main() {}
