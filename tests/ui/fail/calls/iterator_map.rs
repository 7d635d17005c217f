use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], y: &mut [f32]) {
    for v in x.iter().map(|v| v * 2.0) {
        y[0] += v;
    }
}

fn main() {}
