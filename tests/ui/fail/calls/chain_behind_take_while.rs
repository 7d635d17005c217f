use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], y: &mut [f32]) {
    y[0] = x.iter().take_while(|v| **v > 0).chain(x).sum();
}

fn main() {}
