use warpsmith::prelude::*;

#[gpu_fn]
fn warp_sum(v: f32) -> f32 {
    let mut v = v;
    let mut d = 16;
    while d > 0 {
        v += shfl_down(v, d as i32);
        d /= 2;
    }
    v
}

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    y[0] = warp_sum(y[0]);
}

fn main() {}
