use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

#[gpu_kernel]
fn kernel(out: &mut [Point]) {
    out[0] = Point { x: 1.0 };
}

fn main() {}
