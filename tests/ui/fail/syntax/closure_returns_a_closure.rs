use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[0] = 1;
    let add = |a: u32| |b: u32| a + b;
}

fn main() {}
