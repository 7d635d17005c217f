use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[&[u32]], y: &mut [u32]) {
    y[0] = x[0][0];
}

fn main() {}
