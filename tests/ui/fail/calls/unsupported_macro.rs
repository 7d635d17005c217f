use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let v = vec![1.0, 2.0];
    y[0] = v[0];
}

fn main() {}
