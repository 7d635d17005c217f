use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    atomic_max(&mut y[0], 1.0);
}

fn main() {}
