use warpsmith::prelude::*;

#[gpu_fn]
fn double(x: f32) -> f32 {
    x * 2.0
}

#[gpu_kernel]
fn kernel(y: &mut [f32], n: u32) {
    y[0] = double(n);
}

fn main() {}
