use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Point {
    x: f32,
}

impl std::ops::Add for Point {
    type Output = Point;

    fn add(self, other: Point) -> Point {
        Point { x: self.x + other.x }
    }
}

#[gpu_kernel]
fn kernel(a: Point, y: &mut [Point]) {
    y[0] = a + y[0];
}

fn main() {}
