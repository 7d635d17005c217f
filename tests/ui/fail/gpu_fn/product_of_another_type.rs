use warpsmith::prelude::*;

#[gpu_fn]
fn index(row: u32, width: u32) -> usize {
    row * width
}

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    y[index(1, 2)] = 0.0;
}

fn main() {}
