//! Layers of neural networks: normalized rows, losses, turned pairs, convolutions, samples and boxes.

use warpsmith::prelude::*;

use crate::ground::{Failure, Ground, exactly, near};
use crate::trial::{Family, Shape, Trial, Unseen, trial};

pub const FAMILY: Family = Family {
    name: "layers",
    originals: include_str!("layers.cu"),
    kernels: &[
        Unseen { name: "layer_norm", class: "row a block, shuffles, slices, usize", make: layer_norm_trial },
        Unseen { name: "rope", class: "pairs in place, divisions, u32", make: rope_trial },
        Unseen {
            name: "cross_entropy",
            class: "row a warp, iterators, gather, usize",
            make: cross_entropy_trial,
        },
        Unseen { name: "depthwise", class: "convolution NCHW, guarded edges, i32", make: depthwise_trial },
        Unseen { name: "grid_sample", class: "samples NCHW, guarded corners, i32", make: grid_sample_trial },
        Unseen { name: "nms_mask", class: "pairs of structs, shared, bits, u32", make: nms_mask_trial },
    ],
};

/// The sum of what all threads of a block have.
#[gpu_fn]
fn block_sum(v: f32, partial: &mut [f32]) -> f32 {
    let mut v = v;
    let lane = thread_idx().x as usize % 32;
    let warp = thread_idx().x as usize / 32;
    for by in [16, 8, 4, 2, 1] {
        v += shfl_down(v, by);
    }
    if lane == 0 {
        partial[warp] = v;
    }
    sync_threads();
    let mut sum = 0.0;
    for k in 0..block_dim().x as usize / 32 {
        sum += partial[k];
    }
    sync_threads();
    sum
}

/// Rows with mean 0 and variance 1, scaled and moved; a block has a row.
#[gpu_kernel]
fn layer_norm(x: &[f32], weight: &[f32], bias: &[f32], out: &mut [f32], cols: usize) {
    let mut partial = shared!([f32; 32]);
    let start = block_idx().x as usize * cols;
    let row = &x[start..start + cols];
    let to = &mut out[start..start + cols];
    let first = thread_idx().x as usize;
    let step = block_dim().x as usize;
    let mut sum = 0.0;
    for i in (first..cols).step_by(step) {
        sum += row[i];
    }
    let mean = block_sum(sum, &mut partial) / cols as f32;
    let mut squares = 0.0;
    for i in (first..cols).step_by(step) {
        let d = row[i] - mean;
        squares += d * d;
    }
    let scale = rsqrt(block_sum(squares, &mut partial) / cols as f32 + 1e-5);
    for i in (first..cols).step_by(step) {
        to[i] = (row[i] - mean) * scale * weight[i] + bias[i];
    }
}

fn layer_norm_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [rows, cols, block] = ground.pick([5, 100, 64], [16384, 2048, 256]);
    let x = ground.floats(rows * cols);
    let (weight, bias) = (ground.floats(cols), ground.floats(cols));
    let (dx, dw, db) = (ground.up(&x)?, ground.up(&weight)?, ground.up(&bias)?);
    let moments = move |row: &[f32]| {
        let mean = row.iter().map(|v| f64::from(*v)).sum::<f64>() / cols as f64;
        let squares = row.iter().map(|v| (f64::from(*v) - mean).powi(2)).sum::<f64>();
        (mean, 1.0 / (squares / cols as f64 + 1e-5).sqrt())
    };
    let want = move |at: usize| {
        let (mean, scale) = moments(&x[at / cols * cols..][..cols]);
        let turned = (f64::from(x[at]) - mean) * scale * f64::from(weight[at % cols]);
        (turned + f64::from(bias[at % cols])) as f32
    };
    let mut out = ground.blank(rows * cols, near(1e-4, want))?;
    let shape = Shape::blocks([rows as u32, 1, 1], [block as u32, 1, 1]);
    trial!(
        ground,
        shape,
        layer_norm(&dx, &dw, &db, &mut out.memory, cols),
        original(&dx, &dw, &db, &out.memory, cols as i32),
        [out]
    )
}

/// Turns the two halves of each head by angles of the token.
#[gpu_kernel]
fn rope(x: &mut [f32], cosines: &[f32], sines: &[f32], tokens: u32, heads: u32, dim: u32) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    let half = dim / 2;
    if i >= tokens * heads * half {
        return;
    }
    let k = i % half;
    let head = i / half % heads;
    let token = i / half / heads;
    let low = (token * heads + head) * dim + k;
    let high = low + half;
    let c = cosines[token * half + k];
    let s = sines[token * half + k];
    let a = x[low];
    let b = x[high];
    x[low] = a * c - b * s;
    x[high] = a * s + b * c;
}

fn rope_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [tokens, heads, dim] = ground.pick([5, 3, 14], [4096, 32, 128]);
    let half = dim / 2;
    let x = ground.floats(tokens * heads * dim);
    let angles = ground.between(tokens * half, 0.0..6.0);
    let (cosines, sines): (Vec<f32>, Vec<f32>) = angles.iter().map(|v| (v.cos(), v.sin())).unzip();
    let (dc, ds) = (ground.up(&cosines)?, ground.up(&sines)?);
    let before = x.clone();
    let want = move |at: usize| {
        let (k, token) = (at % dim, at / dim / heads);
        let (c, s) = (cosines[token * half + k % half], sines[token * half + k % half]);
        if k < half { before[at] * c - before[at + half] * s } else { before[at - half] * s + before[at] * c }
    };
    let mut x = ground.from(x, near(1e-5, want))?;
    let shape = Shape::line(tokens * heads * half, 256);
    let [tokens, heads, dim] = [tokens, heads, dim].map(|n| n as u32);
    trial!(
        ground,
        shape,
        rope(&mut x.memory, &dc, &ds, tokens, heads, dim),
        original(&x.memory, &dc, &ds, tokens, heads, dim),
        [x]
    )
}

/// The loss of each row of logits; a warp has a row.
#[gpu_kernel]
fn cross_entropy(logits: &[f32], targets: &[u32], losses: &mut [f32], classes: usize) {
    let r = global_id() / 32;
    let lane = lane_id() as usize;
    if r >= losses.len() {
        return;
    }
    let row = &logits[r * classes..(r + 1) * classes];
    let mut largest = row.iter().skip(lane).step_by(32).copied().fold(f32::NEG_INFINITY, f32::max);
    for by in [16, 8, 4, 2, 1] {
        largest = largest.max(shfl_xor(largest, by));
    }
    let mut sum: f32 = row.iter().skip(lane).step_by(32).map(|v| (v - largest).exp()).sum();
    for by in [16, 8, 4, 2, 1] {
        sum += shfl_xor(sum, by);
    }
    if lane == 0 {
        losses[r] = sum.ln() + largest - row[targets[r] as usize];
    }
}

fn cross_entropy_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [rows, classes] = ground.pick([9, 75], [32768, 1000]);
    let logits = ground.between(rows * classes, -5.0..5.0);
    let targets = ground.below(rows, classes as u32);
    let (dl, dt) = (ground.up(&logits)?, ground.up(&targets)?);
    let want = move |r: usize| {
        let row = &logits[r * classes..][..classes];
        let sum: f64 = row.iter().map(|v| f64::from(*v).exp()).sum();
        (sum.ln() - f64::from(row[targets[r] as usize])) as f32
    };
    let mut losses = ground.blank(rows, near(1e-4, want))?;
    trial!(
        ground,
        Shape::line(32 * rows, 128),
        cross_entropy(&dl, &dt, &mut losses.memory, classes),
        original(&dl, &dt, &losses.memory, rows as i32, classes as i32),
        [losses]
    )
}

/// A convolution of each channel with a filter of its own; around the image are zeros.
#[gpu_kernel]
#[allow(clippy::too_many_arguments)]
fn depthwise(
    x: &[f32],
    weights: &[f32],
    y: &mut [f32],
    images: i32,
    channels: i32,
    height: i32,
    width: i32,
    kernel: i32,
    pad: i32,
) {
    let index = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    if index >= images * channels * height * width {
        return;
    }
    let w = index % width;
    let h = index / width % height;
    let c = index / width / height % channels;
    let image = index / width / height / channels;
    let plane = (image * channels + c) * height * width;
    let mut sum = 0.0;
    for kh in 0..kernel {
        for kw in 0..kernel {
            let ih = h - pad + kh;
            let iw = w - pad + kw;
            if ih >= 0 && ih < height && iw >= 0 && iw < width {
                sum += x[plane + ih * width + iw] * weights[(c * kernel + kh) * kernel + kw];
            }
        }
    }
    y[index] = sum;
}

fn depthwise_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [images, channels, height, width] = ground.pick([2, 3, 9, 11], [32, 64, 112, 112]);
    let (kernel, pad) = (3, 1);
    let x = ground.floats(images * channels * height * width);
    let weights = ground.floats(channels * kernel * kernel);
    let (dx, dw) = (ground.up(&x)?, ground.up(&weights)?);
    let want = move |at: usize| {
        let (w, h, plane) = (at % width, at / width % height, at / width / height);
        let mut sum = 0.0;
        for k in 0..kernel * kernel {
            let ih = (h + k / kernel).checked_sub(pad).filter(|ih| *ih < height);
            let iw = (w + k % kernel).checked_sub(pad).filter(|iw| *iw < width);
            if let Some((ih, iw)) = ih.zip(iw) {
                let weight = f64::from(weights[plane % channels * kernel * kernel + k]);
                sum += f64::from(x[(plane * height + ih) * width + iw]) * weight;
            }
        }
        sum as f32
    };
    let mut y = ground.blank(images * channels * height * width, near(1e-5, want))?;
    let shape = Shape::line(images * channels * height * width, 256);
    let [images, channels, height, width, kernel, pad] =
        [images, channels, height, width, kernel, pad].map(|n| n as i32);
    trial!(
        ground,
        shape,
        depthwise(&dx, &dw, &mut y.memory, images, channels, height, width, kernel, pad),
        original(&dx, &dw, &y.memory, images, channels, height, width, kernel, pad),
        [y]
    )
}

/// Whether a pixel is in an image.
#[gpu_fn]
fn within(y: i32, x: i32, height: i32, width: i32) -> bool {
    y >= 0 && y < height && x >= 0 && x < width
}

/// Images at the places that a grid names, between the four nearest pixels of each; around the image are zeros.
#[gpu_kernel]
#[allow(clippy::too_many_arguments)]
fn grid_sample(
    input: &[f32],
    grid: &[f32],
    out: &mut [f32],
    images: i32,
    channels: i32,
    in_h: i32,
    in_w: i32,
    out_h: i32,
    out_w: i32,
) {
    let index = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    if index >= images * out_h * out_w {
        return;
    }
    let w = index % out_w;
    let h = index / out_w % out_h;
    let n = index / (out_h * out_w);
    let ix = ((grid[2 * index] + 1.0) * in_w as f32 - 1.0) / 2.0;
    let iy = ((grid[2 * index + 1] + 1.0) * in_h as f32 - 1.0) / 2.0;
    let (x0, y0) = (ix.floor() as i32, iy.floor() as i32);
    let (x1, y1) = (x0 + 1, y0 + 1);
    let nw = (x1 as f32 - ix) * (y1 as f32 - iy);
    let ne = (ix - x0 as f32) * (y1 as f32 - iy);
    let sw = (x1 as f32 - ix) * (iy - y0 as f32);
    let se = (ix - x0 as f32) * (iy - y0 as f32);
    for c in 0..channels {
        let plane = (n * channels + c) * in_h * in_w;
        let mut v = 0.0;
        if within(y0, x0, in_h, in_w) {
            v += input[plane + y0 * in_w + x0] * nw;
        }
        if within(y0, x1, in_h, in_w) {
            v += input[plane + y0 * in_w + x1] * ne;
        }
        if within(y1, x0, in_h, in_w) {
            v += input[plane + y1 * in_w + x0] * sw;
        }
        if within(y1, x1, in_h, in_w) {
            v += input[plane + y1 * in_w + x1] * se;
        }
        out[((n * channels + c) * out_h + h) * out_w + w] = v;
    }
}

fn grid_sample_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [images, channels, in_h, in_w] = ground.pick([2, 3, 9, 11], [16, 32, 128, 128]);
    let [out_h, out_w] = ground.pick([7, 10], [128, 128]);
    let input = ground.floats(images * channels * in_h * in_w);
    let grid = ground.between(images * out_h * out_w * 2, -1.1..1.1);
    let (di, dg) = (ground.up(&input)?, ground.up(&grid)?);
    let want = move |at: usize| {
        let (w, h, plane) = (at % out_w, at / out_w % out_h, at / out_w / out_h);
        let place = ((plane / channels * out_h + h) * out_w + w) * 2;
        let along = |v: f32, n: usize| (f64::from(v + 1.0) * n as f64 - 1.0) / 2.0;
        let (ix, iy) = (along(grid[place], in_w), along(grid[place + 1], in_h));
        let mut sum = 0.0;
        for corner in 0..4 {
            let (x, y) = (ix.floor() + f64::from(corner % 2), iy.floor() + f64::from(corner / 2));
            if (0.0..in_w as f64).contains(&x) && (0.0..in_h as f64).contains(&y) {
                let pixel = input[(plane * in_h + y as usize) * in_w + x as usize];
                sum += f64::from(pixel) * (1.0 - (ix - x).abs()) * (1.0 - (iy - y).abs());
            }
        }
        sum as f32
    };
    let mut out = ground.blank(images * channels * out_h * out_w, near(1e-3, want))?;
    let shape = Shape::line(images * out_h * out_w, 256);
    let [images, channels, in_h, in_w, out_h, out_w] =
        [images, channels, in_h, in_w, out_h, out_w].map(|n| n as i32);
    trial!(
        ground,
        shape,
        grid_sample(&di, &dg, &mut out.memory, images, channels, in_h, in_w, out_h, out_w),
        original(&di, &dg, &out.memory, images, channels, in_h, in_w, out_h, out_w),
        [out]
    )
}

/// A rectangle.
#[derive(Clone, Copy, GpuType)]
#[repr(C)]
struct Rectangle {
    x1: f32,
    y1: f32,
    x2: f32,
    y2: f32,
}

#[gpu_impl]
impl Rectangle {
    fn area(&self) -> f32 {
        (self.x2 - self.x1) * (self.y2 - self.y1)
    }

    /// The share of both that is in both.
    fn overlap(&self, other: &Rectangle) -> f32 {
        let width = (self.x2.min(other.x2) - self.x1.max(other.x1)).max(0.0);
        let height = (self.y2.min(other.y2) - self.y1.max(other.y1)).max(0.0);
        let shared = width * height;
        shared / (self.area() + other.area() - shared)
    }
}

/// Which rectangles overlap much with later ones, in words of 64 bits.
#[gpu_kernel]
fn nms_mask(boxes: &[Rectangle], mask: &mut [u64], n: u32, threshold: f32) {
    let row_start = block_idx().y;
    let col_start = block_idx().x;
    if row_start > col_start {
        return;
    }
    let row_size = (n - row_start * 64).min(64);
    let col_size = (n - col_start * 64).min(64);
    let mut others = shared!([Rectangle; 64]);
    let t = thread_idx().x;
    if t < col_size {
        others[t] = boxes[64 * col_start + t];
    }
    sync_threads();
    if t < row_size {
        let cur = 64 * row_start + t;
        let own = boxes[cur];
        let mut bits = 0u64;
        let start = if row_start == col_start { t + 1 } else { 0 };
        for i in start..col_size {
            if own.overlap(&others[i]) > threshold {
                bits |= 1 << i;
            }
        }
        let col_blocks = n.div_ceil(64);
        mask[cur * col_blocks + col_start] = bits;
    }
}

fn nms_mask_trial(ground: &Ground) -> Result<Trial, Failure> {
    let n = ground.pick(150, 8000);
    // Corners and extents that are small whole numbers, so that all are computed exactly.
    let corner = |_| {
        let [x1, y1, width, height] = std::array::from_fn(|k| (ground.word() >> 58) as f32 + (k / 2) as f32);
        Rectangle { x1, y1, x2: x1 + width, y2: y1 + height }
    };
    let boxes: Vec<Rectangle> = (0..n).map(corner).collect();
    let (db, columns) = (ground.up(&boxes)?, usize::div_ceil(n, 64));
    let want = move |at: usize| {
        let (row, column) = (at / columns, at % columns);
        let words = (64 * column..n.min(64 * column + 64)).filter(|other| *other > row);
        let near = words.filter(|other| boxes[row].overlap(&boxes[*other]) > 0.3);
        near.map(|other| 1u64 << (other % 64)).sum::<u64>()
    };
    let mut mask = ground.from(vec![0u64; n * columns], exactly(want))?;
    let shape = Shape::blocks([columns as u32, columns as u32, 1], [64, 1, 1]);
    let n = n as u32;
    trial!(
        ground,
        shape,
        nms_mask(&db, &mut mask.memory, n, 0.3),
        original(&db, &mask.memory, n, 0.3f32),
        [mask]
    )
}
