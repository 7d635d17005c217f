use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    if y[0] && y[1] > 0 {
        y[2] = 1;
    }
}

fn main() {}
