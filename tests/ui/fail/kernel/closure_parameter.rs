use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(f: impl Fn(u32) -> u32, y: &mut [u32]) {
    y[0] = f(y[0]);
}

fn main() {}
