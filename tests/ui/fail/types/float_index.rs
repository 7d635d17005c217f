use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32], at: f32) {
    y[at] = 1.0;
}

fn main() {}
