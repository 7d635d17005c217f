use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let n: uint32_t = y[0];
    y[1] = n;
}

fn main() {}
