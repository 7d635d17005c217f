use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let a = &mut y[0];
    let b = &mut y[1];
    *a = *b;
}

fn main() {}
