use warpsmith::prelude::*;

#[gpu_kernel]
fn parts(x: &[u32], out: &mut [u32]) {
    for part in x.split(|v| *v == 0) {
        out[0] += part.len() as u32;
    }
}

fn main() {}
