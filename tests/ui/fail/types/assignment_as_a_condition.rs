use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    if y[0] = 1 {
        y[1] = 2;
    }
}

fn main() {}
