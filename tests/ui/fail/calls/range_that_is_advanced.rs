use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], y: &mut [f32]) {
    let mut numbers = 0..4;
    y[2] = numbers.next().unwrap() as f32;
}

fn main() {}
