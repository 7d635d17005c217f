//! Surfaces: what kernels read and write of images by texel, in every form and format.

use warpsmith::image::Texel;
use warpsmith::prelude::*;

use super::textures::bits;
use super::{compiles, devices, everywhere};

/// Adds the texels of a texture to those of a surface, and one in places outside of both.
#[gpu_fn]
fn accumulate(sum: &mut Surface2<f32>, image: &Texture2<f32>, x: i32, y: i32) {
    let old = sum.read(x, y);
    sum.write(x, y, old + image.fetch(x, y) + 1.0);
}

#[gpu_kernel]
fn accumulated(image: &Texture2<f32>, sum: &mut Surface2<f32>) {
    let x = block_idx().x * block_dim().x + thread_idx().x;
    let y = block_idx().y * block_dim().y + thread_idx().y;
    let (x, y) = (x as i32 - 2, y as i32 - 2);
    accumulate(sum, image, x, y);
}

#[test]
fn surfaces_are_read_and_written_in_place() {
    everywhere::<accumulated>(&(), |device| {
        let texels: Vec<f32> = (0..35).map(|i| i as f32).collect();
        let image = Image2::upload(device, [7, 5], &texels).expect("an image");
        let mut sum = Image2::<f32>::zeroed(device, [7, 5]).expect("an image");
        let texture = image.texture(Sampler::new()).expect("a texture");
        for _ in 0..3 {
            let surface = sum.surface().expect("a surface");
            accumulated(texture, surface).over_2d([12, 10]).block([4, 4]).launch(device).expect("a kernel");
        }
        let want: Vec<f32> = texels.iter().map(|v| 3.0 * v + 3.0).collect();
        assert_eq!(sum.to_vec().expect("texels"), want, "on {}", device.name());
    });
}

/// Writes each texel of every form that holds a value of its own to the next place.
#[gpu_kernel]
fn shifted<T: Texel>(
    line: &mut Surface1<T>,
    plane: &mut Surface2<T>,
    volume: &mut Surface3<T>,
    layers: &mut SurfaceLayers<T>,
) {
    let (width, height, depth) = (volume.width(), volume.height(), volume.depth());
    if global_id() == 0 && (plane.width(), plane.height()) == (line.width(), layers.layers()) {
        for z in (0..depth).rev() {
            let value = volume.read(width - 1, height - 1, z);
            volume.write(0, 0, z + 1, value);
            let value = layers.read(0, 0u64, z);
            layers.write(1, 1u8, z, value);
        }
        let value = line.read(0);
        line.write(1, value);
        line.write(-1, value);
        let value = plane.read(0, 1);
        plane.write(2, 1, value);
    }
}

fn check_surfaces<T: Texel + PartialEq + std::fmt::Debug>(texel: impl Fn(u32) -> T) {
    compiles::<shifted<T>>(&());
    let texels = |n: u32| (0..n).map(&texel).collect::<Vec<T>>();
    for device in devices() {
        let mut line = Image1::upload(&device, 3, &texels(3)).expect("an image");
        let mut plane = Image2::upload(&device, [3, 2], &texels(6)).expect("an image");
        let mut volume = Image3::upload(&device, [3, 2, 2], &texels(12)).expect("an image");
        let mut layers = ImageLayers::upload(&device, [3, 2, 2], &texels(12)).expect("an image");
        let (mut a, mut b) = (line.surface().expect("one"), plane.surface().expect("one"));
        let (c, d) = (volume.surface().expect("one"), layers.surface().expect("one"));
        shifted(&mut a, &mut b, c, d).grid(1).block(32).launch(&device).expect("a kernel");
        let moved = |n: u32, moves: &[(usize, usize)]| {
            let old = texels(n);
            let mut new = old.clone();
            moves.iter().for_each(|(from, to)| new[*to] = old[*from]);
            new
        };
        let name = T::NAME;
        assert_eq!(line.to_vec().expect("texels"), moved(3, &[(0, 1)]), "{name}");
        assert_eq!(plane.to_vec().expect("texels"), moved(6, &[(3, 5)]), "{name}");
        assert_eq!(volume.to_vec().expect("texels"), moved(12, &[(5, 6)]), "{name}");
        assert_eq!(layers.to_vec().expect("texels"), moved(12, &[(0, 4), (6, 10)]), "{name}");
    }
}

#[test]
fn surfaces_of_every_form_and_format_are_written() {
    check_surfaces(|i| bits(i) as u8);
    check_surfaces(|i| bits(i) as i8);
    check_surfaces(|i| bits(i) as u16);
    check_surfaces(|i| bits(i) as i16);
    check_surfaces(bits);
    check_surfaces(|i| bits(i) as i32);
    check_surfaces(|i| f16::from_f32(i as f32 - 4.5));
    check_surfaces(|i| i as f32 - 4.5);
    check_surfaces(|i| U8x4::new(i as u8, 255, bits(i) as u8, 1));
    check_surfaces(|i| I16x2::new(i as i16, -1));
    check_surfaces(|i| F16x2::new(f16::from_f32(i as f32), f16::from_f32(-0.5)));
    check_surfaces(|i| F16x4::splat(f16::from_f32(i as f32)));
    check_surfaces(|i| U32x2::new(i, bits(i)));
    check_surfaces(|i| F32x4::new(i as f32, -1.0, 0.5, 1e9));
}
