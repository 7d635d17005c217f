use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[u32], y: &mut [u32]) {
    type Words<'a> = &'a [u32];
    let part: Words = &x[1..];
    y[0] = part[0];
}

fn main() {}
