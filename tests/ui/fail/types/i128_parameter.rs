use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(n: i128, y: &mut [i32]) {
    y[0] = n as i32;
}

fn main() {}
