use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    y[0] = scale.abs();
}

fn main() {}
