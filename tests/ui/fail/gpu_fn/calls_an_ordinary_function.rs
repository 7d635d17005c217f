use warpsmith::prelude::*;

fn square(a: f32) -> f32 {
    a * a
}

#[gpu_fn]
fn norm(a: f32, b: f32) -> f32 {
    (square(a) + b).sqrt()
}

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    y[0] = norm(y[0], y[1]);
}

fn main() {}
