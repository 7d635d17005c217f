use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[u64], y: &mut [u32]) {
    y[0] = x[0].try_into().unwrap_or(7);
}

fn main() {}
