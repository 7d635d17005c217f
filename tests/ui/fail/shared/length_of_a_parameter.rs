use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(n: usize, y: &mut [f32]) {
    let mut tile = shared!([f32; 2 * n]);
    y[0] = tile[0];
}

fn main() {}
