use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[0] = __float_as_uint(1.0);
}

fn main() {}
