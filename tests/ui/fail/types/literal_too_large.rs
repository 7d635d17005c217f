use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let n: u8 = 256;
    y[0] = n as u32;
}

fn main() {}
