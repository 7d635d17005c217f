use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(a: u32, y: &mut [u32]) {
    y[0] = a;
}

fn run(gpu: &Device, y: &mut Buffer<u32>) -> warpsmith::Result<()> {
    kernel(y).grid(1).block(1).launch(gpu)
}

fn main() {}
