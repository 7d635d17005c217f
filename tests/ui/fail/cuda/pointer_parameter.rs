use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: *const f32, y: &mut [f32]) {
    y[0] = *x;
}

fn main() {}
