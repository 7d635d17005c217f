use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], y: &mut [f32]) {
    for (i, v) in x.iter().filter(|v| **v > 0.0).enumerate() {
        y[i] = *v;
    }
}

fn main() {}
