use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(a: float, y: &mut [f32]) {
    y[0] = a;
}

fn main() {}
