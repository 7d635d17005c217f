use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &Buffer<u32>, y: &mut [u32]) {
    y[0] = 1;
}

fn main() {}
