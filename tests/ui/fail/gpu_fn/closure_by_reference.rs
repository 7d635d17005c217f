use warpsmith::prelude::*;

#[gpu_fn]
fn apply(f: &mut impl FnMut(u32) -> u32, v: u32) -> u32 {
    f(v)
}

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[0] = apply(&mut |v| v + 1, 3);
}

fn main() {}
