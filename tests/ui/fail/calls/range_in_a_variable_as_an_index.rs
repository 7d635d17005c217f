use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[u32], y: &mut [u32]) {
    let part = 1..3usize;
    y[0] = x[part];
}

fn main() {}
