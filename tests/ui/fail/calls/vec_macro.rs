use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let v = vec![0u32; 4];
    y[0] = v[0];
}

fn main() {}
