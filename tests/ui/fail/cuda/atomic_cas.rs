use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[0] = atomicCAS(&mut y[1], 0, 1);
}

fn main() {}
