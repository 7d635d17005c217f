use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[u32], y: &mut [u32]) {
    let own = 1..3;
    let part = &x[own];
    y[0] = part[0] + x[own][1];
}

fn main() {}
