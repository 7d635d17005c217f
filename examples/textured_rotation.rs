//! Turns a picture by the texture unit, which samples between texels, and prints it before and after.
//!
//! On a GPU it also compares the time with a kernel that interpolates by itself.

use warpsmith::prelude::*;

/// Each pixel of `out` is the picture turned about its middle, zero outside it. `turn`: cosine and sine.
#[gpu_kernel]
fn rotate(picture: &Texture2<f32>, turn: F32x2, out: &mut [f32]) {
    let x = block_idx().x * block_dim().x + thread_idx().x;
    let y = block_idx().y * block_dim().y + thread_idx().y;
    let (width, height) = (picture.width(), picture.height());
    if x < width && y < height {
        let [u, v] = turned([x, y], [width, height], turn);
        out[(y * width + x) as usize] = picture.sample(u, v);
    }
}

/// The place of a pixel before the turn, in texels.
#[gpu_fn]
fn turned(at: [u32; 2], extents: [u32; 2], turn: F32x2) -> [f32; 2] {
    let (half_width, half_height) = (0.5 * extents[0] as f32, 0.5 * extents[1] as f32);
    let (dx, dy) = (at[0] as f32 + 0.5 - half_width, at[1] as f32 + 0.5 - half_height);
    [dx * turn.x - dy * turn.y + half_width, dx * turn.y + dy * turn.x + half_height]
}

/// A pixel, or zero outside the picture.
#[gpu_fn]
fn pixel(picture: &[f32], x: i32, y: i32, extents: [u32; 2]) -> f32 {
    let inside = x >= 0 && y >= 0 && (x as u32) < extents[0] && (y as u32) < extents[1];
    if inside { picture[y as usize * extents[0] as usize + x as usize] } else { 0.0 }
}

/// The same without a texture: four loads and their weights.
#[gpu_kernel]
fn rotate_by_hand(picture: &[f32], extents: [u32; 2], turn: F32x2, out: &mut [f32]) {
    let x = block_idx().x * block_dim().x + thread_idx().x;
    let y = block_idx().y * block_dim().y + thread_idx().y;
    if x < extents[0] && y < extents[1] {
        let [u, v] = turned([x, y], extents, turn);
        let (left, top) = ((u - 0.5).floor(), (v - 0.5).floor());
        let (a, b) = (u - 0.5 - left, v - 0.5 - top);
        let (i, j) = (left as i32, top as i32);
        let above = pixel(picture, i, j, extents) * (1.0 - a) + pixel(picture, i + 1, j, extents) * a;
        let below = pixel(picture, i, j + 1, extents) * (1.0 - a) + pixel(picture, i + 1, j + 1, extents) * a;
        out[(y * extents[0] + x) as usize] = above * (1.0 - b) + below * b;
    }
}

/// A ring with a bar through it.
fn picture([width, height]: [usize; 2]) -> Vec<f32> {
    let pixel = |i: usize| {
        let (x, y) = ((i % width) as f32 / width as f32 - 0.5, (i / width) as f32 / height as f32 - 0.5);
        let radius = (x * x + y * y).sqrt();
        if (0.3..0.4).contains(&radius) || y.abs() < 0.06 && x.abs() < 0.3 { 1.0 } else { 0.0 }
    };
    (0..width * height).map(pixel).collect()
}

fn print(pixels: &[f32], width: usize) {
    for row in pixels.chunks(width) {
        let shade = |pixel: &f32| [' ', '.', ':', '+', '#'][(pixel * 4.0).round() as usize];
        println!("|{}|", row.iter().map(shade).collect::<String>());
    }
}

fn main() -> warpsmith::Result<()> {
    let device = Device::open()?;
    let turn = F32x2::new(0.5f32.cos(), 0.5f32.sin());
    let extents @ [width, height] = [64, 32];
    let image = Image2::upload(&device, extents, &picture(extents))?;
    let sampler = Sampler::new().linear().address(AddressMode::Border);
    let mut out = device.alloc_zeroed(width * height)?;
    rotate(image.texture(sampler)?, turn, &mut out).over_2d(extents).block([16, 16]).launch(&device)?;
    print(&picture(extents), width);
    print(&device.download(&out)?, width);
    if device.is_simulator() { Ok(()) } else { compare(&device, sampler, turn) }
}

/// The time of both kernels, and how far apart they are.
fn compare(device: &Device, sampler: Sampler, turn: F32x2) -> warpsmith::Result<()> {
    let extents @ [width, height] = [8192, 8192];
    let pixels = picture(extents);
    let image = Image2::upload(device, extents, &pixels)?;
    let (texture, plain) = (image.texture(sampler)?, device.upload(&pixels)?);
    let (mut sampled, mut by_hand) =
        (device.alloc_zeroed(width * height)?, device.alloc_zeroed(width * height)?);
    let shape = [width as u32, height as u32];
    let mut times = [f64::MAX; 2];
    for _ in 0..10 {
        device.synchronize()?;
        let start = std::time::Instant::now();
        rotate(texture, turn, &mut sampled).over_2d(extents).block([16, 16]).launch(device)?;
        device.synchronize()?;
        let between = std::time::Instant::now();
        rotate_by_hand(&plain, shape, turn, &mut by_hand).over_2d(extents).block([16, 16]).launch(device)?;
        device.synchronize()?;
        times[0] = times[0].min((between - start).as_secs_f64() * 1e3);
        times[1] = times[1].min(between.elapsed().as_secs_f64() * 1e3);
    }
    let (sampled, by_hand) = (device.download(&sampled)?, device.download(&by_hand)?);
    let apart = sampled.iter().zip(&by_hand).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    println!(
        "{width} by {height} pixels: {:.3} ms sampled, {:.3} ms by hand; {apart} apart",
        times[0], times[1]
    );
    Ok(())
}
