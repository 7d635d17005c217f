use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    y[0] = y[0].lerp(y[1], 0.5);
}

fn main() {}
