use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let mut sum = 0.0;
    sum = y[0];
}

fn main() {}
