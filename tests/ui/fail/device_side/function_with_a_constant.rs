use warpsmith::prelude::*;

fn scaled<const N: u32>(x: u32) -> u32 {
    x * N
}

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[0] = scaled::<4>(y[0]);
}

fn main() {}
