use warpsmith::prelude::*;

#[gpu_kernel(launch_bounds(2048))]
fn kernel(y: &mut [u32]) {
    y[0] = 1;
}

fn main() {}
