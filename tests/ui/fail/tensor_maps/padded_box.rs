use warpsmith::prelude::*;

fn main() -> warpsmith::Result<()> {
    let x = Device::simulator().upload(&[0.0f32; 64])?;
    x.tensor_map::<4, 8, Padded>(8, 8)?;
    Ok(())
}
