use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &TensorMapMut<f32, 8, 32, Unswizzled>, y: &mut [f32]) {
    y[0] = 1.0;
}

fn main() {}
