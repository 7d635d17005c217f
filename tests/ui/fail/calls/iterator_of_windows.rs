use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[u32], y: &mut [u32]) {
    for pair in x.windows(2) {
        y[0] += pair[0];
    }
}

fn main() {}
