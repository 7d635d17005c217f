use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let v = Default::default();
    y[0] = 1;
}

fn main() {}
