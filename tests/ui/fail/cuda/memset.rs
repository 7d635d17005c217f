use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    memset(y, 0, 4);
}

fn main() {}
