use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let text = y[0].to_string();
    y[0] = 1;
}

fn main() {}
