use warpsmith::prelude::*;

#[gpu_fn]
fn one(v: u32) -> u32 {
    v + 1
}

#[gpu_fn]
fn two(v: u32) -> u32 {
    v + 2
}

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[0] = [one, two][y[1] as usize](3);
}

fn main() {}
