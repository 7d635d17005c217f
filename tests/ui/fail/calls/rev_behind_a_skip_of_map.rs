use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[u32], y: &mut [u32]) {
    y[0] = x.iter().map(|v| v + 1).skip(2).rev().max().unwrap_or(0);
}

fn main() {}
