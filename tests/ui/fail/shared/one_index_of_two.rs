use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let mut tile = shared!([[f32; 16]; 16]);
    tile[3] = 1.0;
    y[0] = 1.0;
}

fn main() {}
