use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], y: &mut [f32]) {
    y[3] = x.iter().by_ref().count() as f32;
}

fn main() {}
