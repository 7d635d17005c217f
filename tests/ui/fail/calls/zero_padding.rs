use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    println!("{:04}", y[0]);
}

fn main() {}
