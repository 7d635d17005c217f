//! Textures and surfaces: what kernels read and write of images, in every form and format.

use warpsmith::prelude::*;

use super::{everywhere, written};

#[gpu_kernel]
fn sampled1(image: &Texture1<f32>, at: &[f32], out: &mut [f32]) {
    let i = global_id();
    if i < out.len() {
        out[i] = image.sample(at[i]);
    }
}

/// One channel of a plane that may be stored in many ways.
#[gpu_kernel]
fn sampled2(image: &Texture2<f32>, at: &[F32x2], out: &mut [f32]) {
    let i = global_id();
    if i < out.len() {
        out[i] = image.sample(at[i].x, at[i].y);
    }
}

#[gpu_kernel]
fn sampled3(image: &Texture3<F32x2>, at: &[F32x4], out: &mut [F32x2]) {
    let i = global_id();
    if i < out.len() {
        out[i] = image.sample(at[i].x, at[i].y, at[i].z);
    }
}

#[gpu_kernel]
fn sampled_layers(image: &TextureLayers<F32x4>, at: &[F32x2], out: &mut [F32x4]) {
    let i = global_id();
    if i < out.len() {
        out[i] = image.sample(at[i].x, at[i].y, i as u32 % (image.layers() + 2));
    }
}

#[test]
fn smoke() {
    println!("{}", sampled2::cuda_source().expect("it prints"));
    println!("{}", sampled_layers::cuda_source().expect("it prints"));
    everywhere::<sampled2>(&(), |device| {
        let image = Image2::upload(device, [2, 2], &[0.0f32, 1.0, 2.0, 3.0]).expect("an image");
        let texture = image.texture(Sampler::new().linear()).expect("a texture");
        let at = device.upload(&[F32x2::new(1.0, 1.0), F32x2::new(0.0, 0.5)]).expect("memory");
        let out = written(device, (2, f32::NAN), |out| sampled2(&texture, &at, out).over(2).launch(device));
        assert_eq!(out, [1.5, 0.0]);
    });
}
