use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(name: &str, y: &mut [u8]) {
    y[0] = 1;
}

fn main() {}
