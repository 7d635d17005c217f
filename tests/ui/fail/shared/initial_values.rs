use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let mut tile = shared!([0.0f32; 256]);
    y[0] = tile[0];
}

fn main() {}
