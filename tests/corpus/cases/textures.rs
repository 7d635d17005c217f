//! Images that are sampled, and written as surfaces.

use warpsmith::Device;
use warpsmith::prelude::*;

use super::data::{Random, close, components, same};
use super::{Case, Scale, module, print, text};
use crate::textures::{false_colours, heat_step, rotate};

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case { name: "rotate", print: print::<rotate>, module: module::<rotate>, check: check_rotate },
        Case { name: "heat_step", print: print::<heat_step>, module: module::<heat_step>, check: check_heat },
        Case {
            name: "false_colours",
            print: print::<false_colours>,
            module: module::<false_colours>,
            check: check_colours,
        },
    ]
}

const BLOCK: [u32; 2] = [16, 16];

/// Weights have 8 bits: each dimension is off by 1/256 of the texels' range at most, and coordinates are `f32`.
const OFF: f64 = 2.0 * 2.0 / 256.0 + 0.004;

fn check_rotate(device: &Device, scale: Scale) -> Result<(), String> {
    let [width, height] = scale.pick([53, 37], [4096, 4096]);
    let pixels = Random::new("rotate").floats(width * height);
    let image = Image2::upload(device, [width, height], &pixels).map_err(text)?;
    let sampler = Sampler::new().linear().address(AddressMode::Border);
    let texture = image.texture(sampler).map_err(text)?;
    for angle in [0.0f32, 0.5, 3.1] {
        let turn = F32x2::new(angle.cos(), angle.sin());
        let mut out = device.upload(&vec![f32::NAN; pixels.len()]).map_err(text)?;
        let launch = rotate(texture, turn, &mut out).over_2d([width, height]).block(BLOCK);
        launch.launch(device).map_err(text)?;
        let want = |i: usize| rotated(&pixels, [width, height], turn, i);
        close(&device.download(&out).map_err(text)?, want, OFF).map_err(|e| format!("{angle} rad: {e}"))?;
    }
    Ok(())
}

/// A pixel of the image that is turned, in `f64`.
fn rotated(pixels: &[f32], [width, height]: [usize; 2], turn: F32x2, i: usize) -> f64 {
    let middle = [width as f64 / 2.0, height as f64 / 2.0];
    let (dx, dy) = ((i % width) as f64 + 0.5 - middle[0], (i / width) as f64 + 0.5 - middle[1]);
    let (cos, sin) = (f64::from(turn.x), f64::from(turn.y));
    let (u, v) = (dx * cos - dy * sin + middle[0] - 0.5, dx * sin + dy * cos + middle[1] - 0.5);
    let pixel = |x: f64, y: f64| {
        let inside = x >= 0.0 && y >= 0.0 && x < width as f64 && y < height as f64;
        if inside { f64::from(pixels[y as usize * width + x as usize]) } else { 0.0 }
    };
    let (x, y) = (u.floor(), v.floor());
    let (a, b) = (u - x, v - y);
    (1.0 - b) * ((1.0 - a) * pixel(x, y) + a * pixel(x + 1.0, y))
        + b * ((1.0 - a) * pixel(x, y + 1.0) + a * pixel(x + 1.0, y + 1.0))
}

fn check_heat(device: &Device, scale: Scale) -> Result<(), String> {
    let extents @ [width, height] = scale.pick([41, 29], [2048, 2048]);
    let (rate, steps) = (0.2f32, 4);
    let mut plate = Random::new("heat_step").floats(width * height);
    let mut now = Image2::upload(device, extents, &plate).map_err(text)?;
    let mut next = Image2::zeroed(device, extents).map_err(text)?;
    for _ in 0..steps {
        let from = now.texture(Sampler::new()).map_err(text)?;
        let launch = heat_step(from, rate, next.surface().map_err(text)?).over_2d(extents).block(BLOCK);
        launch.launch(device).map_err(text)?;
        std::mem::swap(&mut now, &mut next);
        plate = heated(&plate, extents, rate);
    }
    close(&now.to_vec().map_err(text)?, |i| plate[i].into(), 1e-5)
}

fn heated(plate: &[f32], [width, height]: [usize; 2], rate: f32) -> Vec<f32> {
    let at = |x: usize, y: usize| plate[y * width + x];
    let step = |i: usize| {
        let (x, y) = (i % width, i / width);
        let across = at(x.saturating_sub(1), y) + at((x + 1).min(width - 1), y);
        let along = at(x, y.saturating_sub(1)) + at(x, (y + 1).min(height - 1));
        at(x, y) + rate * (across + along - 4.0 * at(x, y))
    };
    (0..plate.len()).map(step).collect()
}

fn check_colours(device: &Device, scale: Scale) -> Result<(), String> {
    let [width, height, count] = scale.pick([17, 9, 3], [1024, 1024, 16]);
    let pictures = Random::new("false_colours").words(width * height * count);
    let pictures: Vec<u8> = pictures.iter().map(|v| *v as u8).collect();
    let table = Random::new("false_colours").vectors(256 * (count - 1));
    let images = ImageLayers::upload(device, [width, height, count], &pictures).map_err(text)?;
    let colours = Image2::upload(device, [256, count - 1], &table).map_err(text)?;
    let mut out = device.upload(&vec![F32x4::splat(f32::NAN); pictures.len()]).map_err(text)?;
    let (images, colours) =
        (images.texture(Sampler::new()).map_err(text)?, colours.texture(Sampler::new()).map_err(text)?);
    false_colours(images, colours, &mut out).over(pictures.len()).launch(device).map_err(text)?;
    let row = |i: usize| (i / (width * height)).min(count - 2);
    let want: Vec<F32x4> =
        pictures.iter().enumerate().map(|(i, level)| table[row(i) * 256 + usize::from(*level)]).collect();
    same(&components(&device.download(&out).map_err(text)?), &components(&want))
}
