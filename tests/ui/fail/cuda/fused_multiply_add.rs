use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    y[0] = fmaf(y[0], 2.0, 1.0);
}

fn main() {}
