use warpsmith::prelude::*;

fn twice(x: u32) -> u32 {
    x * 2
}

#[gpu_fn]
fn apply(f: impl Fn(u32) -> u32, x: u32) -> u32 {
    f(x)
}

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[0] = apply(twice, y[0]);
}

fn main() {}
