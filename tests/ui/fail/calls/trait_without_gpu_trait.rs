use warpsmith::prelude::*;

trait Area {
    fn area(&self) -> f32;
}

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Square {
    side: f32,
}

impl Area for Square {
    fn area(&self) -> f32 {
        self.side * self.side
    }
}

#[gpu_kernel]
fn kernel(s: Square, y: &mut [f32]) {
    y[0] = s.area();
}

fn main() {}
