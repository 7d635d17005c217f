use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let part = &y[1..3];
    y[0] = part[0];
}

fn main() {}
