use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(#[constexpr] n: u32, y: &mut [u32]) {
    y[0] = n;
}

fn main() {}
