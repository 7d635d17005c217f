use warpsmith::prelude::*;

#[gpu_kernel(coarsen(4))]
fn kernel(y: &mut [u32]) {
    y[global_id()] = 1;
}

fn main() {}
