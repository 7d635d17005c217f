use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

#[gpu_impl]
impl Point {
    fn len(&self) -> u32 {
        self.x * 2.0
    }
}

#[gpu_kernel]
fn kernel(out: &mut [f32]) {
    let p = Point { x: 1.0, y: 2.0 };
    out[0] = p.len() as f32;
}

fn main() {}
