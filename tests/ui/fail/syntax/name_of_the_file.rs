use warpsmith::prelude::*;

#[gpu_kernel]
fn named(out: &mut [u32]) {
    out[0] = file!().len() as u32;
}

fn main() {}
