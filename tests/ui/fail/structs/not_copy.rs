use warpsmith::prelude::*;

#[derive(GpuType)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

fn main() {}
