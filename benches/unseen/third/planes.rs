//! Diagonals, warps and tiles of planes.

use warpsmith::prelude::*;

use crate::ground::{Failure, Ground, exactly, near};
use crate::trial::{Family, Shape, Trial, Unseen, trial};

pub const FAMILY: Family = Family {
    name: "planes",
    originals: include_str!("planes.cu"),
    kernels: &[
        Unseen {
            name: "align_diagonal",
            class: "dynamic programming over a diagonal, i32",
            make: align_diagonal_trial,
        },
        Unseen { name: "warp_affine", class: "bilinear warp, u8, i32", make: warp_affine_trial },
        Unseen {
            name: "sharpen_tile",
            class: "shared tile with ragged edges, i32",
            make: sharpen_tile_trial,
        },
    ],
};

/// The scores of a diagonal of an alignment's table, by those of the two before; column by column, the best so far.
#[gpu_kernel]
#[allow(clippy::too_many_arguments)]
fn align_diagonal(
    a: &[u8],
    b: &[u8],
    before: &[i32],
    last: &[i32],
    next: &mut [i32],
    best: &mut [i32],
    k: i32,
    rows: i32,
    cols: i32,
) {
    let low = (k - rows + 1).max(0);
    let high = k.min(cols - 1);
    let j = low + (block_idx().x * block_dim().x + thread_idx().x) as i32;
    if j > high {
        return;
    }
    let i = k - j;
    let score = if a[i] == b[j] { 3 } else { -2 };
    let corner = if i > 0 && j > 0 { before[j - 1] } else { 0 };
    let left = if j > 0 { last[j - 1] } else { 0 };
    let up = if i > 0 { last[j] } else { 0 };
    let h = (corner + score).max(0).max((left - 1).max(up - 1));
    next[j] = h;
    if h > best[j] {
        best[j] = h;
    }
}

fn align_diagonal_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [rows, cols] = ground.pick([90, 120], [1 << 22, 1 << 22]);
    let (a, b) = (ground.below(rows, 4), ground.below(cols, 4));
    let [a, b] = [a, b].map(|word| word.into_iter().map(|letter| letter as u8).collect::<Vec<_>>());
    let [before, last] = [(); 2].map(|()| ground.ints(cols, 0..40));
    let best = ground.ints(cols, 0..40);
    let k = rows - 1;
    let (da, db) = (ground.up(&a)?, ground.up(&b)?);
    let (d_before, d_last) = (ground.up(&before)?, ground.up(&last)?);
    let start = best.clone();
    let cell = move |j: usize| {
        let i = k - j;
        let at = |of: &[i32], is_there: bool, j: usize| if is_there { of[j] } else { 0 };
        let corner = at(&before, i > 0 && j > 0, j.wrapping_sub(1)) + if a[i] == b[j] { 3 } else { -2 };
        let (left, up) = (at(&last, j > 0, j.wrapping_sub(1)), at(&last, i > 0, j));
        [0, corner, left - 1, up - 1].into_iter().max().unwrap_or(0)
    };
    let (cell, columns) = (std::rc::Rc::new(cell), rows.min(cols));
    let own = cell.clone();
    let mut next = ground.from(
        start.clone(),
        exactly({
            let start = start.clone();
            move |j| if j < columns { own(j) } else { start[j] }
        }),
    )?;
    let mut best =
        ground.from(start, exactly(move |j| if j < columns { best[j].max(cell(j)) } else { best[j] }))?;
    let [k, rows, cols] = [k, rows, cols].map(|n| n as i32);
    trial!(
        ground,
        Shape::line(columns, 256),
        align_diagonal(&da, &db, &d_before, &d_last, &mut next.memory, &mut best.memory, k, rows, cols),
        original(&da, &db, &d_before, &d_last, &next.memory, &best.memory, k, rows, cols),
        [next, best]
    )
}

/// A pixel, or nothing beyond the edges.
#[gpu_fn]
fn tap(image: &[u8], width: i32, height: i32, x: i32, y: i32) -> f32 {
    if x >= 0 && x < width && y >= 0 && y < height { image[y * width + x] as f32 } else { 0.0 }
}

/// An image seen through an affine map.
#[gpu_kernel]
#[allow(clippy::too_many_arguments)]
fn warp_affine(
    image: &[u8],
    out: &mut [f32],
    width: i32,
    height: i32,
    xx: f32,
    xy: f32,
    x0: f32,
    yx: f32,
    yy: f32,
    y0: f32,
) {
    let x = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    let y = (block_idx().y * block_dim().y + thread_idx().y) as i32;
    if x >= width || y >= height {
        return;
    }
    let sx = xx * x as f32 + xy * y as f32 + x0;
    let sy = yx * x as f32 + yy * y as f32 + y0;
    let fx = sx.floor();
    let fy = sy.floor();
    let ix = fx as i32;
    let iy = fy as i32;
    let wx = sx - fx;
    let wy = sy - fy;
    let top = tap(image, width, height, ix, iy) * (1.0 - wx) + tap(image, width, height, ix + 1, iy) * wx;
    let bottom =
        tap(image, width, height, ix, iy + 1) * (1.0 - wx) + tap(image, width, height, ix + 1, iy + 1) * wx;
    out[y * width + x] = top * (1.0 - wy) + bottom * wy;
}

fn warp_affine_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [width, height] = ground.pick([70, 50], [4000, 3000]);
    let image = ground.bytes(width * height);
    let di = ground.up(&image)?;
    // Eighths, so that all coordinates and weights are exact.
    let [xx, xy, x0, yx, yy, y0] = [0.875f32, 0.25, -3.5, -0.125, 1.125, 2.375];
    let want = move |at: usize| {
        let [x, y] = [at % width, at / width].map(|n| n as f64);
        let place = |a: f32, b: f32, c: f32| f64::from(a) * x + f64::from(b) * y + f64::from(c);
        let (sx, sy) = (place(xx, xy, x0), place(yx, yy, y0));
        let pixel = |x: f64, y: f64| {
            let is_there = x >= 0.0 && y >= 0.0 && x < width as f64 && y < height as f64;
            if is_there { f64::from(image[y as usize * width + x as usize]) } else { 0.0 }
        };
        let (fx, fy) = (sx.floor(), sy.floor());
        let (wx, wy) = (sx - fx, sy - fy);
        let row = |y: f64| pixel(fx, y) * (1.0 - wx) + pixel(fx + 1.0, y) * wx;
        (row(fy) * (1.0 - wy) + row(fy + 1.0) * wy) as f32
    };
    let mut out = ground.blank(width * height, near(1e-6, want))?;
    let shape = Shape::plane([width, height], [32, 8]);
    let (width, height) = (width as i32, height as i32);
    trial!(
        ground,
        shape,
        warp_affine(&di, &mut out.memory, width, height, xx, xy, x0, yx, yy, y0),
        original(&di, &out.memory, width, height, xx, xy, x0, yx, yy, y0),
        [out]
    )
}

/// Twice each pixel less the mean of its neighbourhood, in tiles of 32 × 16.
#[gpu_kernel]
fn sharpen_tile(image: &[f32], out: &mut [f32], width: i32, height: i32) {
    let mut tile = shared!([[f32; 34]; 18]);
    let tx = thread_idx().x as i32;
    let ty = thread_idx().y as i32;
    let left = block_idx().x as i32 * 32;
    let top = block_idx().y as i32 * 16;
    let mut r = ty;
    while r < 18 {
        let mut c = tx;
        while c < 34 {
            let x = (left + c - 1).max(0).min(width - 1);
            let y = (top + r - 1).max(0).min(height - 1);
            tile[r][c] = image[y * width + x];
            c += 32;
        }
        r += 16;
    }
    sync_threads();
    let x = left + tx;
    let y = top + ty;
    if x < width && y < height {
        let mut sum = 0.0;
        for r in 0..3 {
            for c in 0..3 {
                sum += tile[ty + r][tx + c];
            }
        }
        out[y * width + x] = 2.0 * tile[ty + 1][tx + 1] - sum / 9.0;
    }
}

fn sharpen_tile_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [width, height] = ground.pick([70, 45], [4001, 4003]);
    let image = ground.floats(width * height);
    let di = ground.up(&image)?;
    let want = move |at: usize| {
        let (x, y) = (at % width, at / width);
        let near = |n: usize, by: usize, extent: usize| (n + by).saturating_sub(1).min(extent - 1);
        let sum: f64 =
            (0..9).map(|k| f64::from(image[near(y, k / 3, height) * width + near(x, k % 3, width)])).sum();
        (2.0 * f64::from(image[at]) - sum / 9.0) as f32
    };
    let mut out = ground.blank(width * height, near(1e-5, want))?;
    let shape = Shape::plane([width, height], [32, 16]);
    let (width, height) = (width as i32, height as i32);
    trial!(
        ground,
        shape,
        sharpen_tile(&di, &mut out.memory, width, height),
        original(&di, &out.memory, width, height),
        [out]
    )
}
