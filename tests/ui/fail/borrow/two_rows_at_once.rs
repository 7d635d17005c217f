use warpsmith::prelude::*;

#[gpu_fn]
fn row(m: &mut [f32], i: usize, n: usize) -> &mut [f32] {
    &mut m[i * n..(i + 1) * n]
}

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let first = row(y, 0, 4);
    let second = row(y, 1, 4);
    first[0] = second[0];
}

fn main() {}
