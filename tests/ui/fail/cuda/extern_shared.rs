use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    extern shared!([f32; 32]);
    y[0] = 1.0;
}

fn main() {}
