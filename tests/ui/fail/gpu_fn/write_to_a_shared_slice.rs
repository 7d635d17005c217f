use warpsmith::prelude::*;

#[gpu_fn]
fn store(y: &[f32], i: usize, v: f32) {
    y[i] = v;
}

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    store(y, 0, 1.0);
}

fn main() {}
