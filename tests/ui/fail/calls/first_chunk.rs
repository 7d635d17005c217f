use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[u32], y: &mut [u32]) {
    if let Some(four) = x.first_chunk::<4>() {
        y[0] = four[3];
    }
}

fn main() {}
