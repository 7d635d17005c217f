use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let parts: [u32; 4] = [1, 2, 3];
    y[0] = parts[0];
}

fn main() {}
