use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32], #[comptime] n: f32) {
    y[0] = n as u32;
}

fn main() {}
