use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    y[0] = shfl_down(y[0], 1.0);
}

fn main() {}
