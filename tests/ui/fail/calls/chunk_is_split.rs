use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(text: &[u8], out: &mut [u32]) {
    for line in text.chunks(80) {
        out[0] += line.split(|b| *b == b',').count() as u32;
    }
}

fn main() {}
