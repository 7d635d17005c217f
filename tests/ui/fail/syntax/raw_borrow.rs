use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let p = &raw mut y[0];
    unsafe { *p = 1 };
}

fn main() {}
