use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], y: &mut [f32]) {
    for v in x {
        y[0] += v;
    }
}

fn main() {}
