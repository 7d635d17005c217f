use warpsmith::prelude::*;

#[gpu_kernel(fmad(false))]
fn kernel(y: &mut [f32]) {
    y[0] = 1.0;
}

fn main() {}
