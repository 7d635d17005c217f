use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let parts = [1u32, 2.0];
    y[0] = parts[0];
}

fn main() {}
