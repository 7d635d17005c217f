use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    for (i = 0; i < 4; i++) {
        y[i] = 1;
    }
}

fn main() {}
