use warpsmith::prelude::*;

#[gpu_fn]
fn early(x: f32) -> f32 {
    if x < 0.0 {
        return;
    }
    x
}

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    y[0] = early(y[0]);
}

fn main() {}
