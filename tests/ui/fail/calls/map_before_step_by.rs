use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], y: &mut [f32]) {
    y[0] = x.iter().map(|v| v * 2.0).step_by(2).sum();
}

fn main() {}
