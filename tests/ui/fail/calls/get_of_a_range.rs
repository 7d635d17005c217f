use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[u32], y: &mut [u32]) {
    if let Some(part) = x.get(1..3) {
        y[0] = part[0];
    }
}

fn main() {}
