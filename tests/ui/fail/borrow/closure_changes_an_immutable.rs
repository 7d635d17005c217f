use warpsmith::prelude::*;

#[gpu_fn]
fn apply(f: impl Fn(u32)) {
    f(1);
}

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let mut sum = 0;
    apply(|v| sum += v);
    y[0] = sum;
}

fn main() {}
