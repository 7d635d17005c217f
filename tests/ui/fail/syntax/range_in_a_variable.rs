use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let r = 2..;
    y[0] = r.start;
}

fn main() {}
