use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    for i in 0..4 {
        y[i] = 0;
    }
    y[i] = 1;
}

fn main() {}
