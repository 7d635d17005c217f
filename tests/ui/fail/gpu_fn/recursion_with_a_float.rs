use warpsmith::prelude::*;

#[gpu_fn]
fn fact(n: u32) -> u32 {
    if n == 0 { 1 } else { n as f32 * fact(n - 1) }
}

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[0] = fact(5);
}

fn main() {}
