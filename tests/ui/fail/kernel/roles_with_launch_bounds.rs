use warpsmith::prelude::*;

#[gpu_kernel(warpgroups(40, 232), launch_bounds(256))]
fn kernel(y: &mut [u32]) {
    y[0] = 1;
}

fn main() {}
