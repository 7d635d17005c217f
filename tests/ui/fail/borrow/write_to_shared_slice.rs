use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32]) {
    x[0] = 1.0;
}

fn main() {}
