use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let v: u32;
    y[0] = v;
}

fn main() {}
