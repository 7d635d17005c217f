use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    if let 3 = y[0] {
        y[0] = 4;
    }
}

fn main() {}
