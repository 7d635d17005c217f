use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    for (int i = 0; i < 4; i++) {
        y[i] = 0;
    }
}

fn main() {}
