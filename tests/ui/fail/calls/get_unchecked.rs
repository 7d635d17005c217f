use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[u32], y: &mut [u32]) {
    y[0] = unsafe { *x.get_unchecked(1) };
}

fn main() {}
