use warpsmith::prelude::*;

trait Shape {
    fn area(&self) -> f32;
}

#[gpu_kernel]
fn kernel<T: Shape + GpuType>(a: T, y: &mut [f32]) {
    y[0] = y[0] + a.area();
}

fn main() {}
