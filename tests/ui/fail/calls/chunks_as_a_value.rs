use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: View<u32>, y: &mut [u32]) {
    let parts = x.chunks(2);
    y[0] = parts.len() as u32;
}

fn main() {}
