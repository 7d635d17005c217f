use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    y[0] = (f32) thread_idx().x;
}

fn main() {}
