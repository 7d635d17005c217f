use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    atomic_add(&y[0], 1);
}

fn main() {}
