use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

impl Point {
    #[gpu_fn]
    fn sum_of_both(&self) -> f32 {
        self.x + self.y
    }
}

#[gpu_kernel]
fn kernel(y: &mut [f32]) {
    y[0] = Point { x: 1.0, y: 2.0 }.sum_of_both();
}

fn main() {}
