use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[u32; 4], y: &mut [u32]) {
    y[0] = x[0];
}

fn main() {}
