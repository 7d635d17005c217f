use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[u32], y: &mut [u32]) {
    y[0] = (x[..2] == x[2..4]) as u32;
}

fn main() {}
