use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32], by: f32) {
    y[0] = y[0] << by;
}

fn main() {}
