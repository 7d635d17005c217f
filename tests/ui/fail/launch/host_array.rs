use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(n: u32, y: &mut [u32]) {
    y[0] = n;
}

fn main() -> warpsmith::Result<()> {
    let gpu = Device::open()?;
    let mut y = gpu.upload(&[0u32; 4])?;
    let mut host = [0u32; 4];
    kernel(3, &mut host).grid(1).block(1).launch(&gpu)?;
    Ok(())
}
