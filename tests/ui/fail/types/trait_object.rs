use warpsmith::prelude::*;

trait Shape {
    fn area(&self) -> f32;
}

#[gpu_kernel]
fn kernel(shape: &dyn Shape, y: &mut [f32]) {
    y[0] = 1.0;
}

fn main() {}
