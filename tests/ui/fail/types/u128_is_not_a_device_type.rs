use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let wide = y[0] as u128;
    y[0] = wide as u32;
}

fn main() {}
