use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: Vec<f32>) {
    y[0] = 1.0;
}

fn main() {}
