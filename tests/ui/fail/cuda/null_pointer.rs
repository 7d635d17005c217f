use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let p = NULL;
    y[0] = 1;
}

fn main() {}
