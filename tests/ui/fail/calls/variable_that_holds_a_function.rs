use warpsmith::prelude::*;

#[gpu_fn]
fn one(v: u32) -> u32 {
    v + 1
}

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let f = one;
    y[0] = f(3);
}

fn main() {}
