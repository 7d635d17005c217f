use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[u8], y: &mut [u32]) {
    y[0] = (x[0] as char).to_digit(16).unwrap_or(0);
}

fn main() {}
