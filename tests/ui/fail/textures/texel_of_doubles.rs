use warpsmith::prelude::*;

fn main() -> warpsmith::Result<()> {
    let gpu = Device::simulator();
    let image = Image2::upload(&gpu, [1, 1], &[1.0f64])?;
    Ok(())
}
