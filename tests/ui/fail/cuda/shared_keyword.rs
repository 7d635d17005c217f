use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    __shared__ let mut tile = [0.0f32; 32];
    y[0] = tile[0];
}

fn main() {}
