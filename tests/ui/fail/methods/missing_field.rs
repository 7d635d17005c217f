use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

#[gpu_impl]
impl Point {
    fn unit() -> Point {
        Point { x: 1.0 }
    }

    fn norm(&self) -> f32 {
        self.x
    }
}

#[gpu_kernel]
fn kernel(out: &mut [f32]) {
    let p = Point { x: 1.0, y: 2.0 };
    out[0] = p.norm();
}

fn main() {}
