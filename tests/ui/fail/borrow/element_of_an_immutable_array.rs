use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let parts = [0u32; 4];
    parts[0] = y[0];
    y[1] = parts[0];
}

fn main() {}
