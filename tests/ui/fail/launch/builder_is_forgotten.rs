use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[0] = 1;
}

fn run(gpu: &Device, y: &mut Buffer<u32>) -> warpsmith::Result<()> {
    kernel(y)
}

fn main() {}
