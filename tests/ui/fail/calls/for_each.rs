use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    y.iter_mut().for_each(|v| *v = 0.0);
}

fn main() {}
