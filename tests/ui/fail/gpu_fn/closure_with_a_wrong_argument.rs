use warpsmith::prelude::*;

#[gpu_fn]
fn apply(f: impl Fn(f32) -> f32, x: u32) -> f32 {
    f(x)
}

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    y[0] = apply(|v| v * 2.0, 3);
}

fn main() {}
