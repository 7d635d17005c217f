use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    trait Area {
        fn area(&self) -> u32;
    }
    y[0] = 1;
}

fn main() {}
