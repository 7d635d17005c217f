use warpsmith::prelude::*;

#[gpu_kernel]
struct Kernel {
    y: f32,
}

fn main() {}
