use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(image: &Texture2<f32>, y: &mut [f32]) {
    y[0] = image.sample(0.5, 0.5);
}

fn main() -> warpsmith::Result<()> {
    let gpu = Device::simulator();
    let (x, mut y) = (gpu.upload(&[1.0f32])?, gpu.upload(&[1.0f32])?);
    kernel(&x, &mut y).grid(1).block(1).launch(&gpu)
}
