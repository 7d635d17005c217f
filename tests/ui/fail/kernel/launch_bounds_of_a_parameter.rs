use warpsmith::prelude::*;

#[gpu_kernel(launch_bounds(n))]
fn kernel(y: &mut [u32], n: u32) {
    y[0] = n;
}

fn main() {}
