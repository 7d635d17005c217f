use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let text = b"abc";
    y[0] = text[0] as u32;
}

fn main() {}
