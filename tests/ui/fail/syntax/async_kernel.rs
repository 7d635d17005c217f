use warpsmith::prelude::*;

#[gpu_kernel]
async fn kernel(y: &mut [u32]) {
    y[0] = 1;
}

fn main() {}
