use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    fn one() -> u32 {
        1
    }
    y[0] = one();
}

fn main() {}
