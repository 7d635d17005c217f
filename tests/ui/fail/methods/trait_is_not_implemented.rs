use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

#[gpu_trait]
trait Shape {
    fn area(&self) -> f32;
}

#[gpu_fn]
fn area_of<S: Shape>(s: S) -> f32 {
    s.area()
}

#[gpu_kernel]
fn kernel(out: &mut [f32]) {
    out[0] = area_of(Point { x: 1.0, y: 2.0 });
}

fn main() {}
