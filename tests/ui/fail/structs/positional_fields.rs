use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    let p = Point(1.0, 2.0);
    y[0] = p.y;
}

fn main() {}
