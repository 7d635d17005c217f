use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], y: &mut [f32]) {
    y[0] = x.iter().map(|v| v * 2.0).skip(1).sum();
}

fn main() {}
