use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    u32 n = 3;
    y[0] = n;
}

fn main() {}
