use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[u32], y: &mut [u32]) {
    let all: Vec<u32> = x.iter().map(|v| v + 1).collect();
    y[0] = 1;
}

fn main() {}
