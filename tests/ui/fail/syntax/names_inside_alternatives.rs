use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[0] = match (y[0], y[1]) {
        (0, n) | (n, 0) => n,
        _ => 0,
    };
}

fn main() {}
