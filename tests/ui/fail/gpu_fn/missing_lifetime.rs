use warpsmith::prelude::*;

#[gpu_fn]
fn longer(a: &[f32], b: &[f32]) -> &[f32] {
    if a.len() > b.len() { a } else { b }
}

#[gpu_kernel]
fn kernel(a: &[f32], b: &[f32], y: &mut [f32]) {
    y[0] = longer(a, b)[0];
}

fn main() {}
