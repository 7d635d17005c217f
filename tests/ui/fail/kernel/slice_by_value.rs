use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: [u32]) {
    y[0] = 1;
}

fn main() {}
