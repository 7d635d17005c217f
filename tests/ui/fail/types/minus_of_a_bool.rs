use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let set = y[0] > 1;
    y[1] = -set;
}

fn main() {}
