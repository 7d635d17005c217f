use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: Vec<f32>) {
    let n = y.len();
}

fn main() {}
