use warpsmith::prelude::*;

#[gpu_fn]
fn helper(v: u32) -> u32 {
    v + 1
}

#[gpu_kernel]
fn kernel(x: &[u32], y: &mut [u32]) {
    let small = helper(x[0])
    y[0] = small;
}

fn main() -> warpsmith::Result<()> {
    let device = Device::simulator();
    let (x, mut y) = (device.upload(&[1u32])?, device.upload(&[0u32])?);
    kernel(&x, &mut y).grid(1).block(1).launch(&device)
}
