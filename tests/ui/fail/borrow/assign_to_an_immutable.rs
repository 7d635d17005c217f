use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let n = y[0];
    n += 1;
    y[0] = n;
}

fn main() {}
