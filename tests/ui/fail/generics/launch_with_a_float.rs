use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel<const N: usize>(y: &mut [f32]) {
    y[0] = N as f32;
}

fn run(gpu: &Device, y: &mut Buffer<f32>) -> warpsmith::Result<()> {
    kernel::<8.0>(y).grid(1).block(32).launch(gpu)
}

fn main() {}
