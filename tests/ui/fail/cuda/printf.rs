use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    printf("%u\n", y[0]);
}

fn main() {}
