use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(n: u32, y: &mut [u32]) {
    y[0] = n;
}

fn main() -> warpsmith::Result<()> {
    let gpu = Device::open()?;
    let y = gpu.upload(3.0f32)?;
    Ok(())
}
