use warpsmith::prelude::*;

fn inner(x: u32) -> u32 {
    x * 2
}

#[gpu_fn]
fn outer(x: u32) -> u32 {
    inner(x) + 1
}

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[0] = outer(y[0]);
}

fn main() {}
