use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[u32], y: &mut [u32]) {
    let mut all = x[..8].chunks(2).flatten();
    y[0] = *all.next().unwrap_or(&0);
}

fn main() {}
