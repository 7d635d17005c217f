use warpsmith::prelude::*;

#[gpu_fn]
fn steps<const N: usize>(x: f32) -> f32 {
    let mut r = x;
    for _ in 0..N {
        r *= x;
    }
    r
}

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    y[0] = steps(y[0]);
}

fn main() {}
