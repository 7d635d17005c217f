use std::mem;

use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[f32], y: &mut [u32]) {
    y[0] = unsafe { mem::transmute(x[0]) };
}

fn main() {}
