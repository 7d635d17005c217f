use warpsmith::prelude::*;

#[gpu_kernel(block = 256)]
fn kernel(y: &mut [u32]) {
    y[0] = 1;
}

fn main() {}
