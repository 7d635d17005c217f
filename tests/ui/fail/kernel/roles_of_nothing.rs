use warpsmith::prelude::*;

#[gpu_kernel(warpgroups())]
fn kernel(y: &mut [u32]) {
    y[0] = 1;
}

fn main() {}
