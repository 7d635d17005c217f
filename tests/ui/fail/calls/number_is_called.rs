use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let n = 3u32;
    y[0] = n(1);
}

fn main() {}
