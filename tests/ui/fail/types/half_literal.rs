use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f16]) {
    y[0] = 1.0;
}

fn main() {}
