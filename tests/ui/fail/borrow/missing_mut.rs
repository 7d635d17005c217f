use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let sum = 0.0;
    sum += y[0];
    y[0] = sum;
}

fn main() {}
