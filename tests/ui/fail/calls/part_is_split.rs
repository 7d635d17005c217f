use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(text: &[u8], out: &mut [u32]) {
    let line = &text[3..];
    for field in line.split(|b| *b == b',') {
        out[0] += field.len() as u32;
    }
}

fn main() {}
