use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u8]) {
    y[0] = 'a' as u8;
}

fn main() {}
