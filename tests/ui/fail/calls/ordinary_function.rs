use warpsmith::prelude::*;

fn helper(x: f32) -> f32 {
    x + 1.0
}

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    y[0] = helper(y[0]);
}

fn main() {}
