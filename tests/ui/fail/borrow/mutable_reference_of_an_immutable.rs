use warpsmith::prelude::*;

#[gpu_fn]
fn increase(n: &mut u32) {
    *n += 1;
}

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    let n = 3u32;
    increase(&mut n);
    y[0] = n;
}

fn main() {}
