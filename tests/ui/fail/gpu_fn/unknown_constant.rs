use warpsmith::prelude::*;

#[gpu_fn]
fn area(r: f32) -> f32 {
    PI * r * r
}

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    y[0] = area(y[0]);
}

fn main() {}
