//! Images through the texture unit: a rotation between texels, a stencil that writes a surface, a table of colours.

use warpsmith::prelude::*;

/// Each pixel of `out` is the image turned about its middle, zero outside of it. `turn`: cosine and sine.
#[gpu_kernel]
pub fn rotate(image: &Texture2<f32>, turn: F32x2, out: &mut [f32]) {
    let x = block_idx().x * block_dim().x + thread_idx().x;
    let y = block_idx().y * block_dim().y + thread_idx().y;
    let (width, height) = (image.width(), image.height());
    if x < width && y < height {
        let dx = x as f32 + 0.5 - 0.5 * width as f32;
        let dy = y as f32 + 0.5 - 0.5 * height as f32;
        let u = dx * turn.x - dy * turn.y + 0.5 * width as f32;
        let v = dx * turn.y + dy * turn.x + 0.5 * height as f32;
        out[(y * width + x) as usize] = image.sample(u, v);
    }
}

/// One step of heat in a plate whose edges let none out.
#[gpu_kernel]
pub fn heat_step(now: &Texture2<f32>, rate: f32, next: &mut Surface2<f32>) {
    let x = block_idx().x * block_dim().x + thread_idx().x;
    let y = block_idx().y * block_dim().y + thread_idx().y;
    if x < next.width() && y < next.height() {
        let (u, v) = (x as f32 + 0.5, y as f32 + 0.5);
        let here = now.sample(u, v);
        let around =
            now.sample(u - 1.0, v) + now.sample(u + 1.0, v) + now.sample(u, v - 1.0) + now.sample(u, v + 1.0);
        next.write(x, y, here + rate * (around - 4.0 * here));
    }
}

/// Colours of bytes: the table has a row for each picture, and the last row is for those that have none.
#[gpu_kernel]
pub fn false_colours(pictures: &TextureLayers<u8>, table: &Texture2<F32x4>, out: &mut [F32x4]) {
    let i = global_id();
    let (width, height) = (pictures.width() as usize, pictures.height() as usize);
    if i < out.len() {
        let (x, y, picture) = (i % width, i / width % height, i / (width * height));
        let level = pictures.fetch(x, y, picture);
        out[i] = table.sample(level as f32 + 0.5, picture as f32 + 0.5);
    }
}
