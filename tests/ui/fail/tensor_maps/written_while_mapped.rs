use warpsmith::prelude::*;

fn main() -> warpsmith::Result<()> {
    let device = Device::simulator();
    let mut x = device.upload(&[0.0f32; 64])?;
    let map = x.tensor_map::<4, 8, Unswizzled>(8, 8)?;
    device.write(&mut x, &[1.0; 64])?;
    drop(map);
    Ok(())
}
