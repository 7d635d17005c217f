use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

#[gpu_kernel]
fn kernel(p: Point, q: Point, y: &mut [f32]) {
    if p == q {
        y[0] = 1.0;
    }
}

fn main() {}
