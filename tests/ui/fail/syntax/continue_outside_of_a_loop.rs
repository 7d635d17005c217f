use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    if y[0] > 1 {
        continue;
    }
    y[1] = 1;
}

fn main() {}
