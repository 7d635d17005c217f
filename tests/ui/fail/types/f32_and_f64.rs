use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f64], y: &mut [f32]) {
    y[0] = y[0] + x[0];
}

fn main() {}
