use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], y: &mut [f32]) {
    let (m, n) = x.shape();
    y[0] = (m * n) as f32;
}

fn main() {}
