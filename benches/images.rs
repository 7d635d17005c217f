//! Times of kernels that read images by texture units, beside one that reads memory and weighs by hand.
//!
//! Prints `figure NAME VALUE UNIT` lines: the least of twenty.

use std::time::Instant;

use corpus::textures::{heat_step, rotate};
use harness::noise;
use warpsmith::prelude::*;

/// The image turned without a texture: four loads and their weights.
#[gpu_kernel]
fn rotate_by_hand(image: &[f32], extents: [u32; 2], turn: F32x2, out: &mut [f32]) {
    let x = block_idx().x * block_dim().x + thread_idx().x;
    let y = block_idx().y * block_dim().y + thread_idx().y;
    let [width, height] = extents;
    if x < width && y < height {
        let dx = x as f32 + 0.5 - 0.5 * width as f32;
        let dy = y as f32 + 0.5 - 0.5 * height as f32;
        let u = dx * turn.x - dy * turn.y + 0.5 * width as f32 - 0.5;
        let v = dx * turn.y + dy * turn.x + 0.5 * height as f32 - 0.5;
        let (left, top) = (u.floor(), v.floor());
        let (a, b) = (u - left, v - top);
        let mut sum = 0.0;
        for corner in 0..4 {
            let (i, j) = (left as i32 + (corner & 1), top as i32 + (corner >> 1));
            let across = if corner & 1 == 1 { a } else { 1.0 - a };
            let along = if corner >> 1 == 1 { b } else { 1.0 - b };
            if i >= 0 && j >= 0 && (i as u32) < width && (j as u32) < height {
                sum += across * along * image[j as usize * width as usize + i as usize];
            }
        }
        out[(y * width + x) as usize] = sum;
    }
}

/// Columns and rows of the images.
const EXTENTS: [usize; 2] = [8192, 8192];

fn main() -> warpsmith::Result<()> {
    let device = match Device::gpu(0) {
        Ok(device) => device,
        Err(missing) => {
            println!("skipped: {missing}");
            return Ok(());
        }
    };
    let pixels = noise(EXTENTS[0] * EXTENTS[1], 5);
    rotations(&device, &pixels)?;
    steps(&device, &pixels)?;
    objects(&device, &pixels)
}

/// The least time of twenty, in milliseconds.
fn best(device: &Device, mut launch: impl FnMut() -> warpsmith::Result<()>) -> warpsmith::Result<f64> {
    let mut least = f64::MAX;
    for _ in 0..20 {
        device.synchronize()?;
        let start = Instant::now();
        launch()?;
        device.synchronize()?;
        least = least.min(start.elapsed().as_secs_f64() * 1e3);
    }
    Ok(least)
}

fn rotations(device: &Device, pixels: &[f32]) -> warpsmith::Result<()> {
    let image = Image2::upload(device, EXTENTS, pixels)?;
    let plain = device.upload(pixels)?;
    let mut out = device.upload(pixels)?;
    let turn = F32x2::new(0.5f32.cos(), 0.5f32.sin());
    let texture = image.texture(Sampler::new().linear().address(AddressMode::Border))?;
    let sampled =
        best(device, || rotate(texture, turn, &mut out).over_2d(EXTENTS).block([16, 16]).launch(device))?;
    let shape = EXTENTS.map(|extent| extent as u32);
    let by_hand = best(device, || {
        rotate_by_hand(&plain, shape, turn, &mut out).over_2d(EXTENTS).block([16, 16]).launch(device)
    })?;
    println!("figure rotate_by_texture_8192 {sampled:.4} ms");
    println!("figure rotate_by_hand_8192 {by_hand:.4} ms");
    Ok(())
}

fn steps(device: &Device, pixels: &[f32]) -> warpsmith::Result<()> {
    let (now, mut next) =
        (Image2::upload(device, EXTENTS, pixels)?, Image2::upload(device, EXTENTS, pixels)?);
    let step = best(device, || {
        let (from, to) = (now.texture(Sampler::new())?, next.surface()?);
        heat_step(from, 0.2, to).over_2d(EXTENTS).block([32, 8]).launch(device)
    })?;
    println!("figure heat_step_8192 {step:.4} ms");
    Ok(())
}

/// The time to make a texture's object, and to find it again.
fn objects(device: &Device, pixels: &[f32]) -> warpsmith::Result<()> {
    let image = Image2::upload(device, EXTENTS, pixels)?;
    let sampler = Sampler::new().normalized();
    let first = Instant::now();
    image.texture::<f32>(sampler)?;
    println!("figure texture_object_first {:.2} us", first.elapsed().as_secs_f64() * 1e6);
    let again = Instant::now();
    for _ in 0..1000 {
        image.texture::<f32>(sampler)?;
    }
    println!("figure texture_object_again {:.4} us", again.elapsed().as_secs_f64() * 1e3);
    Ok(())
}
