use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let mut tile = shared!([[f32; 16]; 16]);
    tile[(1, 2)] = 1.0;
    sync_threads();
    y[0] = tile[2][1];
}

fn main() {}
