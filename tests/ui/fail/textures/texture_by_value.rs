use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(image: Texture2<f32>, y: &mut [f32]) {
    y[0] = image.sample(0.5, 0.5);
}

fn main() {}
