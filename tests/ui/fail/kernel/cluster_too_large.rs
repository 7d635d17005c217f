use warpsmith::prelude::*;

#[gpu_kernel(cluster(32))]
fn kernel(y: &mut [u32]) {
    y[0] = 1;
}

fn main() {}
