use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    y[0] = y[0].to_ne_bytes()[0] as f32;
}

fn main() {}
