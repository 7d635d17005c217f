use warpsmith::prelude::*;

#[gpu_fn]
fn apply(f: impl Fn(f32) -> f32, x: f32) -> f32 {
    f(x)
}

fn square(a: f32) -> f32 {
    a * a
}

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    y[0] = apply(|v| square(v), y[0]);
}

fn main() {}
