use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[u32], y: &mut [u32]) {
    y[0] = x.iter().map(|v| v.checked_add(1)? / 2).sum();
}

fn main() {}
