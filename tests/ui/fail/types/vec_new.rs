use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let mut v = Vec::new();
    v.push(y[0]);
}

fn main() {}
