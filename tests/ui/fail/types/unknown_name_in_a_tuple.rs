use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    y[0] = (scale, 1).1 as f32;
}

fn main() {}
