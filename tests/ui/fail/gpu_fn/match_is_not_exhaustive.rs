use warpsmith::prelude::*;

#[gpu_fn]
fn pick(k: u32) -> f32 {
    match k {
        0 => 1.0,
        1 => 2.0,
    }
}

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    y[0] = pick(1);
}

fn main() {}
