use warpsmith::prelude::*;

#[gpu_fn]
fn square(a: f32) -> f32 {
    a * a;
}

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    y[0] = square(y[0]);
}

fn main() {}
