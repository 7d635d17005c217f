use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[0] = 1;
}

fn run(gpu: &Device, y: Buffer<u32>) -> warpsmith::Result<()> {
    kernel(&y).grid(1).block(1).launch(gpu)
}

fn main() {}
