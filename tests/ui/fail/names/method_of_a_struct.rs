use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

#[gpu_impl]
impl Point {
    fn lengths(&self) -> f32 {
        self.x + self.y
    }
}

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let p = Point { x: y[0], y: 1.0 };
    y[0] = p.lenght();
}

fn main() {}
