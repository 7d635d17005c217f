use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

#[gpu_impl]
impl std::ops::Add for Point {
    type Output = Point;
    fn add(self, other: Point) -> Point {
        Point { x: self.x + other.x, y: self.y + 1 }
    }
}

#[gpu_kernel]
fn kernel(out: &mut [f32]) {
    let p = Point { x: 1.0, y: 2.0 };
    out[0] = (p + p).x;
}

fn main() {}
