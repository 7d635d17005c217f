use warpsmith::prelude::*;

#[gpu_fn]
fn first(x: &[f32]) -> f32 {
    x[0]
}

#[gpu_kernel]
fn kernel(x: &[f32], y: &mut [f32]) {
    let all = x.iter();
    y[0] = first(all);
}

fn main() {}
