use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], y: &mut [f32]) {
    let i = global_id();
    y[i] = x[i] * 2;
}

fn main() {}
