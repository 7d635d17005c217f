use warpsmith::prelude::*;

#[gpu_fn]
fn pack(a: u8, b: u8) -> u16 {
    (a << 8) | b
}

#[gpu_kernel]
fn kernel(y: &mut [u16]) {
    y[0] = pack(1, 2);
}

fn main() {}
