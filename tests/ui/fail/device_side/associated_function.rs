use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

impl Point {
    fn new(x: f32) -> Self {
        Point { x, y: 0.0 }
    }
}

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let p = Point::new(y[0]);
    y[0] = p.x;
}

fn main() {}
