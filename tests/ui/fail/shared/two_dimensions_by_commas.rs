use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let mut tile = shared!([f32; 16, 16]);
    y[0] = tile[(0, 0)];
}

fn main() {}
