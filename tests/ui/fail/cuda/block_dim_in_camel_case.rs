use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let i = blockDim.x;
    y[i] = 1;
}

fn main() {}
