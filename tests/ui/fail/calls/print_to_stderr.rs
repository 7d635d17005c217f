use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    eprintln!("{}", y[0]);
}

fn main() {}
