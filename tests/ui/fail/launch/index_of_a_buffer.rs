use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(n: u32, y: &mut [u32]) {
    y[0] = n;
}

fn main() -> warpsmith::Result<()> {
    let gpu = Device::open()?;
    let mut y = gpu.upload(&[0u32; 4])?;
    y[0] = 3;
    Ok(())
}
