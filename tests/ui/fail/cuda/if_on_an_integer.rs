use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    if y[0] & 1 {
        y[0] = 0;
    }
}

fn main() {}
