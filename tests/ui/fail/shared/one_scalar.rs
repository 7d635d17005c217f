use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let mut total = shared!(f32);
    y[0] = total;
}

fn main() {}
