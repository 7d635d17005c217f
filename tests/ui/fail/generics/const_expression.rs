use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel<const N: usize>(y: &mut [u32]) {
    let a = [0u32; N + 1];
    y[0] = a[0];
}

fn main() {}
