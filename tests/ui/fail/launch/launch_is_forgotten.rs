#![deny(unused_must_use)]

use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[0] = 1;
}

fn run(y: &mut Buffer<u32>) {
    kernel(y).grid(1).block(1);
}

fn main() {}
