use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[0] = std::cmp::max_by(y[0], y[1], |a, b| a.cmp(b));
}

fn main() {}
