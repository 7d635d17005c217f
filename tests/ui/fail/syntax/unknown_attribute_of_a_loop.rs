use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    #[parallel]
    for i in 0..4 {
        y[i] = 1;
    }
}

fn main() {}
