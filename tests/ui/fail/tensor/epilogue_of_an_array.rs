use warpsmith::prelude::*;
use warpsmith::tensor::Fragment;

#[gpu_fn]
fn doubled<F: Fragment<Element = f32>>(sums: &mut F) {
    sums.map(|_, _, sum| sum * 2.0);
}

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let mut sums = [0.0f32; 4];
    doubled(&mut sums);
    y[0] = sums[0];
}

fn main() {}
