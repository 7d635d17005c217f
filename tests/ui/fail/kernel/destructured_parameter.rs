use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel((a, b): (u32, u32), y: &mut [u32]) {
    y[0] = a + b;
}

fn main() {}
