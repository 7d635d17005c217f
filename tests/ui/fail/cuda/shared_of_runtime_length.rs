use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32], n: usize) {
    let mut tile = shared!([f32; n]);
    tile[0] = y[0];
}

fn main() {}
