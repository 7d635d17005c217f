use warpsmith::prelude::*;

#[gpu_kernel(warpgroups(40, 230, 232))]
fn kernel(y: &mut [u32]) {
    y[0] = 1;
}

fn main() {}
