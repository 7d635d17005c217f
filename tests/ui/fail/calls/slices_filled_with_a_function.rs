use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u8]) {
    y.fill_with(|| 3);
}

fn main() {}
