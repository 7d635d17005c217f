use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let mut tile = shared!([f32; 64], align = 3);
    y[0] = tile[0];
}

fn main() {}
