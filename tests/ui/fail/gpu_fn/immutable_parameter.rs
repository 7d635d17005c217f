use warpsmith::prelude::*;

#[gpu_fn]
fn clamp01(x: f32) -> f32 {
    if x > 1.0 {
        x = 1.0;
    }
    x
}

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    y[0] = clamp01(y[0]);
}

fn main() {}
