use warpsmith::prelude::*;

#[gpu_fn]
fn apply(f: impl Fn(f32) -> f32, x: f32) -> f32 {
    f(x)
}

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    y[0] = apply(|v| v * 2, y[0]);
}

fn main() {}
