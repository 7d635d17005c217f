use warpsmith::prelude::*;

mod maths {
    pub fn twice(x: u32) -> u32 {
        x * 2
    }
}

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[0] = maths::twice(y[0]);
}

fn main() {}
