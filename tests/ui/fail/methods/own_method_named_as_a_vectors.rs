use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Vec3 {
    x: f32,
    y: f32,
    z: f32,
}

impl Vec3 {
    fn dot(self, o: Vec3) -> f32 {
        self.x * o.x + self.y * o.y + self.z * o.z
    }
}

#[gpu_kernel]
fn kernel(v: Vec3, y: &mut [f32]) {
    y[0] = v.dot(v);
}

fn main() {}
