use warpsmith::prelude::*;

#[gpu_fn]
fn count(hist: &mut [u32], v: f32) {
    atomic_add(&mut hist[v], 1);
}

#[gpu_kernel]
fn kernel(x: &[f32], hist: &mut [u32]) {
    count(hist, x[0]);
}

fn main() {}
