use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    y[0] = shared!([f32; 4])[0];
}

fn main() {}
