use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(y: &mut [u32]) {
    y[0] = 1;
}

fn main() -> warpsmith::Result<()> {
    let gpu = Device::open()?;
    let mut y = gpu.upload(&[0u32; 4])?;
    kernel<<<1, 32>>>(&mut y);
    Ok(())
}
