use warpsmith::prelude::*;

#[gpu_kernel]
fn copy<T: Num>(x: &[T], y: &mut [T]) {
    y[0] = x[0];
}

fn run(gpu: &Device) -> warpsmith::Result<()> {
    let x = gpu.upload(&[1.0f32])?;
    let mut y = gpu.upload(&[1u32])?;
    copy(&x, &mut y).grid(1).block(1).launch(gpu)
}

fn main() {}
