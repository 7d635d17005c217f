use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32], n: usize) {
    let a = [0u32; n];
    y[0] = a[0];
}

fn main() {}
