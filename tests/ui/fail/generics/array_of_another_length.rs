use warpsmith::prelude::*;

#[gpu_fn]
fn first<const N: usize>(a: [f32; N]) -> f32 {
    a[0]
}

#[gpu_kernel]
fn kernel<const N: usize>(y: &mut [f32]) {
    let a: [f32; N] = [0.0; 4];
    y[0] = first(a);
}

fn main() {}
