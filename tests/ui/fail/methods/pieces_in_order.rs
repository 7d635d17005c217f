use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[u32], y: &mut [u32]) {
    y[0] = x.chunk_by(|a, b| a < b).count() as u32;
}

fn main() {}
