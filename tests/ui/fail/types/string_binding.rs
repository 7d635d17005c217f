use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let name = String::new();
    y[0] = 1.0;
}

fn main() {}
