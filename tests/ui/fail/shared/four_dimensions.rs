use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let mut tile = shared!([[[[f32; 2]; 2]; 2]; 2]);
    y[0] = 1.0;
}

fn main() {}
