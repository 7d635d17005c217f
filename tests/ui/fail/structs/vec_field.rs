use warpsmith::prelude::*;

#[derive(Clone, GpuType)]
#[repr(C)]
struct Cloud {
    points: Vec<f32>,
}

fn main() {}
