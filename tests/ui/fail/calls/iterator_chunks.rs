use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], y: &mut [f32]) {
    for v in x.chunks(4) {
        y[0] += v[0];
    }
}

fn main() {}
