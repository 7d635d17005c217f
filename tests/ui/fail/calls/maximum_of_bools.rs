use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[0] = (y[1] > 1).max(y[2] > 2) as u32;
}

fn main() {}
