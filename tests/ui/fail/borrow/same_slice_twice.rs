use warpsmith::prelude::*;

#[gpu_fn]
fn add_into(a: &mut [u32], b: &[u32]) {
    a[0] += b[0];
}

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    add_into(y, y);
}

fn main() {}
