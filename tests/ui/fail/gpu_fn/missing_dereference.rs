use warpsmith::prelude::*;

#[gpu_fn]
fn bump(v: &mut f32) {
    v += 1.0;
}

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    bump(&mut y[0]);
}

fn main() {}
