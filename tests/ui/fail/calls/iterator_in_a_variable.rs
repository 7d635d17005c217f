use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], y: &mut [f32]) {
    let all = x.iter();
    y[0] = 1.0;
}

fn main() {}
