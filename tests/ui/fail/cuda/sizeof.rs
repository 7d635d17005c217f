use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [usize]) {
    y[0] = sizeof(4.0f32);
}

fn main() {}
