use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y.sort();
}

fn main() {}
