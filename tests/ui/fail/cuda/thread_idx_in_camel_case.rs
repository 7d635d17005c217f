use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[threadIdx.x] = 1;
}

fn main() {}
