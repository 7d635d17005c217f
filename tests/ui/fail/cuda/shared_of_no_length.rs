use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let mut tile = shared!(f32);
    tile[0] = y[0];
}

fn main() {}
