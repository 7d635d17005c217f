use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    struct Pair {
        a: u32,
    }
    y[0] = 1;
}

fn main() {}
