use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

impl Point {
    fn double_it(&mut self) {
        self.x *= 2.0;
    }
}

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let mut p = Point { x: y[0], y: 1.0 };
    p.double_it();
    y[0] = p.x;
}

fn main() {}
