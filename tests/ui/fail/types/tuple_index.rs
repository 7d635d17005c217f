use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let pair = (y[0], y[1]);
    y[2] = pair[0];
}

fn main() {}
