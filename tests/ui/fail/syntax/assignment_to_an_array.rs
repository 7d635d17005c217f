use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let (mut a, mut b) = (y[0], y[1]);
    [a, b] = [b, a];
    y[0] = a - b;
}

fn main() {}
