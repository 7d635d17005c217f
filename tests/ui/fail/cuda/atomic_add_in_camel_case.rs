use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    atomicAdd(&mut y[0], 1);
}

fn main() {}
