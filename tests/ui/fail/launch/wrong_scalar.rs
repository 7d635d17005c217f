use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(a: f32, y: &mut [f32]) {
    y[0] = a;
}

fn run(gpu: &Device, mut y: Buffer<f32>) -> warpsmith::Result<()> {
    kernel(2, &mut y).grid(1).block(1).launch(gpu)
}

fn main() {}
