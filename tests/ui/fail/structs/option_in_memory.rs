use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Wheel {
    spare: Option<f32>,
}

fn main() {}
