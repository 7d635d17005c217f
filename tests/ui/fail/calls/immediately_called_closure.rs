use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[0] = (|a: u32| a + 1)(y[0]);
}

fn main() {}
