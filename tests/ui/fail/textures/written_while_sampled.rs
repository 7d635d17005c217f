use warpsmith::prelude::*;

#[gpu_kernel]
fn kernel(from: &Texture2<f32>, to: &mut Surface2<f32>) {
    to.write(0, 0, from.sample(0.5, 0.5));
}

fn main() -> warpsmith::Result<()> {
    let gpu = Device::simulator();
    let mut image = Image2::upload(&gpu, [1, 1], &[1.0f32])?;
    kernel(image.texture(Sampler::new())?, image.surface()?).grid(1).block(1).launch(&gpu)
}
