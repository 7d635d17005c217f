use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let mut tile = shared!([String; 4]);
    y[0] = 1.0;
}

fn main() {}
