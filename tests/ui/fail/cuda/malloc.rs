use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let p = malloc(16);
    y[0] = 1;
}

fn main() {}
