use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let double = |v: f32| v * 2.0;
    y[0] = double(y[0]);
}

fn main() {}
