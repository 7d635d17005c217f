use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

impl Point {
    fn scaled(self, by: f32) -> Self {
        Point { x: self.x * by, y: self.y * by }
    }
}

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let p = Point { x: y[0], y: 1.0 };
    y[0] = p.scaled(2.0).x;
}

fn main() {}
