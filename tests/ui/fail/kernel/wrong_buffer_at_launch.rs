use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[0] = 1;
}

fn main() -> warpsmith::Result<()> {
    let gpu = Device::simulator();
    let mut y = gpu.upload(&[1.0f32])?;
    kernel(&mut y).grid(1).block(1).launch(&gpu)
}
