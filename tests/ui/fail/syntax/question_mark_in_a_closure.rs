use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[u32], y: &mut [u32]) {
    let first = |i: usize| Some(*x.get(i)? + 1);
    y[0] = first(0).unwrap_or(0);
}

fn main() {}
