use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let first = &y[0];
    y[1] = 3;
    y[2] = *first;
}

fn main() {}
