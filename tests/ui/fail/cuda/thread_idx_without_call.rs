use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[thread_idx.x] = 1;
}

fn main() {}
