use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

#[gpu_kernel]
fn kernel(p: Point, y: &mut [f32]) {
    y[0] = p as f32;
}

fn main() {}
