use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(x: &[u32], y: &mut [u32]) {
    y[0] = x[0];
}

fn run(gpu: &Device, mut y: Buffer<u32>) -> warpsmith::Result<()> {
    kernel(&y, &mut y).grid(1).block(1).launch(gpu)
}

fn main() {}
