use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let b = Box::new(y[0]);
}

fn main() {}
