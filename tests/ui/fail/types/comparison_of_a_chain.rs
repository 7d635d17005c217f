use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    if 0 < y[0] < 4 {
        y[1] = 1;
    }
}

fn main() {}
