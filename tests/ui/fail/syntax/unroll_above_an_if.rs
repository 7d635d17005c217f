use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    #[unroll]
    if y[0] > 1 {
        y[1] = 1;
    }
}

fn main() {}
