use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let r = 0..4;
    for i in r {
        y[i] = 0;
    }
}

fn main() {}
