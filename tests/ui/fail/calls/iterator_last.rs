use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], y: &mut [f32]) {
    y[0] = *x.iter().last().unwrap();
}

fn main() {}
