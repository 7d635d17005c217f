use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(image: &Surface2<f32>, y: &mut [f32]) {
    y[0] = image.read(0, 0);
}

fn main() {}
