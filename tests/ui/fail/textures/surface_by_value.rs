use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(image: Surface2<f32>) {
    image.write(0, 0, 1.0);
}

fn main() {}
