use warpsmith::prelude::*;

#[derive(Clone, Copy, GpuType)]
struct Point {
    x: f32,
    y: f32,
}

fn main() {}
