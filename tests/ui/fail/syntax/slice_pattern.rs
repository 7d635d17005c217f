use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    if let [a, b] = y {
        y[0] = 1;
    }
}

fn main() {}
