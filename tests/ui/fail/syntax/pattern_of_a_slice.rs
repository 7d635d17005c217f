use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let &mut [a, ..] = y;
    y[0] = a;
}

fn main() {}
