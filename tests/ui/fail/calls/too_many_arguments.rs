use warpsmith::prelude::*;

#[gpu_fn]
fn double(x: f32) -> f32 {
    x * 2.0
}

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    y[0] = double(y[0], 2.0);
}

fn main() {}
