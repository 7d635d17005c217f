use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(text: &[u8], out: &mut [u32]) {
    out[0] = (text.to_ascii_lowercase() == b"abc") as u32;
}

fn main() {}
