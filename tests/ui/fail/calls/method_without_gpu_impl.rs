use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Point {
    x: f32,
}

impl Point {
    fn double(self) -> f32 {
        self.x * 2.0
    }
}

#[gpu_kernel]
fn kernel(p: Point, y: &mut [f32]) {
    y[0] = p.double();
}

fn main() {}
