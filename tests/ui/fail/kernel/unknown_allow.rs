use warpsmith::prelude::*;

#[gpu_kernel(allow(races))]
fn kernel(y: &mut [u32]) {
    y[0] = 1;
}

fn main() {}
