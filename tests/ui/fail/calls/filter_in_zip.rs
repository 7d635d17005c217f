use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], y: &mut [f32]) {
    for (a, b) in x.iter().zip(x.iter().filter(|v| **v > 0.0)) {
        y[0] += a * b;
    }
}

fn main() {}
