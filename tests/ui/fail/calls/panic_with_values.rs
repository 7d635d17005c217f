use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    panic!("bad value {}", y[0]);
}

fn main() {}
