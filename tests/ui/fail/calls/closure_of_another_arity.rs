use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let add = |a: u32, b: u32| a + b;
    y[0] = add(1);
}

fn main() {}
