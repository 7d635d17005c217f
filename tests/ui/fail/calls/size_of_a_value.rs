use warpsmith::prelude::*;

#[gpu_kernel]
fn sized(out: &mut [u32]) {
    out[0] = std::mem::size_of_val(&out[0]) as u32;
}

fn main() {}
