//! Images: colours from raw data and video, edges, shapes, distances and motion.

use warpsmith::prelude::*;

use crate::ground::{Failure, Ground, exactly};
use crate::trial::{Family, Shape, Trial, Unseen, trial};

pub const FAMILY: Family = Family {
    name: "pixels",
    originals: include_str!("pixels.cu"),
    kernels: &[
        Unseen { name: "demosaic", class: "stencil of bytes, branches by parity, i32", make: demosaic_trial },
        Unseen { name: "canny_thin", class: "neighbours by a match, closure, i32", make: canny_thin_trial },
        Unseen { name: "nv12_rgba", class: "map from two planes, u32", make: nv12_rgba_trial },
        Unseen { name: "erode", class: "tile with a halo, dynamic shared, i32", make: erode_trial },
        Unseen {
            name: "distance_columns",
            class: "columns down and up, rows by chunks, usize",
            make: distance_columns_trial,
        },
        Unseen {
            name: "motion_search",
            class: "block matching, shared, reduction, u32",
            make: motion_search_trial,
        },
    ],
};

/// Colours of a Bayer image (red, green, green, blue) from the nearest samples of each.
#[gpu_kernel]
fn demosaic(raw: &[u8], rgb: &mut [u8], width: i32, height: i32) {
    let x = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    let y = (block_idx().y * block_dim().y + thread_idx().y) as i32;
    if x < 1 || y < 1 || x >= width - 1 || y >= height - 1 {
        return;
    }
    let at = y * width + x;
    let here = raw[at] as i32;
    let row = raw[at - 1] as i32 + raw[at + 1] as i32;
    let column = raw[at - width] as i32 + raw[at + width] as i32;
    let corners = raw[at - width - 1] as i32
        + raw[at - width + 1] as i32
        + raw[at + width - 1] as i32
        + raw[at + width + 1] as i32;
    let (r, g, b);
    if y % 2 == 0 {
        if x % 2 == 0 {
            r = here;
            g = (row + column) / 4;
            b = corners / 4;
        } else {
            r = row / 2;
            g = here;
            b = column / 2;
        }
    } else {
        if x % 2 == 0 {
            r = column / 2;
            g = here;
            b = row / 2;
        } else {
            r = corners / 4;
            g = (row + column) / 4;
            b = here;
        }
    }
    rgb[3 * at] = r as u8;
    rgb[3 * at + 1] = g as u8;
    rgb[3 * at + 2] = b as u8;
}

fn demosaic_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [width, height] = ground.pick([37, 22], [4096, 4096]);
    let raw = ground.bytes(width * height);
    let dr = ground.up(&raw)?;
    let want = move |i: usize| {
        let (x, y, colour) = (i / 3 % width, i / 3 / width, i % 3);
        if x == 0 || y == 0 || x == width - 1 || y == height - 1 {
            return 7;
        }
        // The mean of the nearest samples of the colour.
        let filter = |x: usize, y: usize| x % 2 + y % 2;
        if filter(x, y) == colour {
            return raw[y * width + x];
        }
        let around = (y - 1..=y + 1).flat_map(|v| (x - 1..=x + 1).map(move |u| (u, v)));
        let cross = |u: usize, v: usize| colour != 1 || u == x || v == y;
        let same = around.filter(|&(u, v)| filter(u, v) == colour && cross(u, v));
        let own: Vec<u32> = same.map(|(u, v)| u32::from(raw[v * width + u])).collect();
        (own.iter().sum::<u32>() / own.len() as u32) as u8
    };
    let mut rgb = ground.from(vec![7u8; 3 * width * height], exactly(want))?;
    let shape = Shape::plane([width, height], [32, 8]);
    let [width, height] = [width, height].map(|n| n as i32);
    trial!(
        ground,
        shape,
        demosaic(&dr, &mut rgb.memory, width, height),
        original(&dr, &rgb.memory, width, height),
        [rgb]
    )
}

/// Edges of an image, where the gradient is not less than on both sides of the edge.
#[gpu_kernel]
fn canny_thin(magnitude: &[f32], angle: &[u8], out: &mut [f32], width: i32, height: i32) {
    let x = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    let y = (block_idx().y * block_dim().y + thread_idx().y) as i32;
    if x >= width || y >= height {
        return;
    }
    let at = |x: i32, y: i32| {
        let inside = (0..width).contains(&x) && (0..height).contains(&y);
        if inside { magnitude[y * width + x] } else { 0.0 }
    };
    let here = magnitude[y * width + x];
    let (before, after) = match angle[y * width + x] {
        0 => (at(x - 1, y), at(x + 1, y)),
        45 => (at(x + 1, y - 1), at(x - 1, y + 1)),
        90 => (at(x, y - 1), at(x, y + 1)),
        _ => (at(x - 1, y - 1), at(x + 1, y + 1)),
    };
    out[y * width + x] = if here > before && here >= after { here } else { 0.0 };
}

fn canny_thin_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [width, height] = ground.pick([41, 19], [4096, 2048]);
    let magnitude = ground.between(width * height, 0.0..100.0);
    let angle = ground.each(width * height, |word| (word >> 62) as u8 * 45);
    let (dm, da) = (ground.up(&magnitude)?, ground.up(&angle)?);
    let want = move |i: usize| {
        let side = match angle[i] {
            0 => [1, 0],
            45 => [-1, 1],
            90 => [0, 1],
            _ => [1, 1],
        };
        let at = |sign: isize| {
            let x = (i % width).checked_add_signed(sign * side[0]).filter(|x| *x < width);
            let y = (i / width).checked_add_signed(sign * side[1]).filter(|y| *y < height);
            x.zip(y).map_or(0.0, |(x, y)| magnitude[y * width + x])
        };
        if magnitude[i] > at(-1) && magnitude[i] >= at(1) { magnitude[i] } else { 0.0 }
    };
    let mut out = ground.blank(width * height, exactly(want))?;
    let shape = Shape::plane([width, height], [32, 8]);
    let [width, height] = [width, height].map(|n| n as i32);
    trial!(
        ground,
        shape,
        canny_thin(&dm, &da, &mut out.memory, width, height),
        original(&dm, &da, &out.memory, width, height),
        [out]
    )
}

/// A number as a byte.
#[gpu_fn]
fn clamped(v: i32) -> u32 {
    if v < 0 {
        0
    } else if v > 255 {
        255
    } else {
        v as u32
    }
}

/// A frame of video as pixels: brightness in a plane, pairs of colours for each two by two pixels in another.
#[gpu_kernel]
fn nv12_rgba(luma: &[u8], chroma: &[u8], rgba: &mut [u32], width: u32, height: u32) {
    let x = block_idx().x * block_dim().x + thread_idx().x;
    let y = block_idx().y * block_dim().y + thread_idx().y;
    if x >= width || y >= height {
        return;
    }
    let pair = y / 2 * width + (x & !1);
    let c = 298 * (luma[y * width + x] as i32 - 16);
    let u = chroma[pair] as i32 - 128;
    let v = chroma[pair + 1] as i32 - 128;
    let r = clamped((c + 409 * v + 128) >> 8);
    let g = clamped((c - 100 * u - 208 * v + 128) >> 8);
    let b = clamped((c + 516 * u + 128) >> 8);
    rgba[y * width + x] = 255 << 24 | b << 16 | g << 8 | r;
}

fn nv12_rgba_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [width, height] = ground.pick([38, 14], [7680, 4320]);
    let (luma, chroma) = (ground.bytes(width * height), ground.bytes(width * height / 2));
    let (dl, dc) = (ground.up(&luma)?, ground.up(&chroma)?);
    let want = move |i: usize| {
        let pair = i / width / 2 * width + i % width / 2 * 2;
        let [y, u, v] = [luma[i], chroma[pair], chroma[pair + 1]].map(i32::from);
        let [y, u, v] = [298 * (y - 16) + 128, u - 128, v - 128];
        let colours = [y + 409 * v, y - 100 * u - 208 * v, y + 516 * u].map(|c| (c >> 8).clamp(0, 255) as u8);
        u32::from_le_bytes([colours[0], colours[1], colours[2], 255])
    };
    let mut rgba = ground.blank(width * height, exactly(want))?;
    let shape = Shape::plane([width, height], [32, 8]);
    let [width, height] = [width, height].map(|n| n as u32);
    trial!(
        ground,
        shape,
        nv12_rgba(&dl, &dc, &mut rgba.memory, width, height),
        original(&dl, &dc, &rgba.memory, width, height),
        [rgba]
    )
}

/// The least of each pixel's neighbours, up to a radius; a block keeps a tile and its halo.
#[gpu_kernel]
fn erode(input: &[u8], out: &mut [u8], width: i32, height: i32, radius: i32) {
    let mut tile = dynamic_shared::<u8>();
    let (tx, ty) = (thread_idx().x as i32, thread_idx().y as i32);
    let (block_width, block_height) = (block_dim().x as i32, block_dim().y as i32);
    let tile_width = block_width + 2 * radius;
    let tile_height = block_height + 2 * radius;
    let left = block_idx().x as i32 * block_width - radius;
    let top = block_idx().y as i32 * block_height - radius;
    let mut j = ty;
    while j < tile_height {
        let mut i = tx;
        while i < tile_width {
            let x = (left + i).max(0).min(width - 1);
            let y = (top + j).max(0).min(height - 1);
            tile[j * tile_width + i] = input[y * width + x];
            i += block_width;
        }
        j += block_height;
    }
    sync_threads();
    let x = block_idx().x as i32 * block_width + tx;
    let y = block_idx().y as i32 * block_height + ty;
    if x >= width || y >= height {
        return;
    }
    let mut least = 255;
    for j in 0..=2 * radius {
        for i in 0..=2 * radius {
            least = least.min(tile[(ty + j) * tile_width + tx + i]);
        }
    }
    out[y * width + x] = least;
}

fn erode_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [width, height, radius] = ground.pick([41, 19, 2], [4096, 4096, 3]);
    let input = ground.bytes(width * height);
    let di = ground.up(&input)?;
    let want = move |i: usize| {
        let (x, y) = (i % width, i / width);
        let rows = y.saturating_sub(radius)..(y + radius + 1).min(height);
        let columns = x.saturating_sub(radius)..(x + radius + 1).min(width);
        rows.flat_map(|y| &input[y * width..][columns.clone()]).min().copied().unwrap_or(0)
    };
    let mut out = ground.blank(width * height, exactly(want))?;
    let shape = Shape::plane([width, height], [32, 8]).shared((32 + 2 * radius) * (8 + 2 * radius));
    let [width, height, radius] = [width, height, radius].map(|n| n as i32);
    trial!(
        ground,
        shape,
        erode(&di, &mut out.memory, width, height, radius),
        original(&di, &out.memory, width, height, radius),
        [out]
    )
}

/// How far each pixel is from the nearest marked one of its column.
#[gpu_kernel]
fn distance_columns(mask: &[u8], out: &mut [i32], width: usize, height: usize) {
    let x = global_id();
    if x >= width {
        return;
    }
    let far = (width + height) as i32;
    let mut distance = far;
    for (marks, row) in mask.chunks_exact(width).zip(out.chunks_exact_mut(width)) {
        distance = if marks[x] != 0 { 0 } else { far.min(distance + 1) };
        row[x] = distance;
    }
    for row in out.chunks_exact_mut(width).rev() {
        distance = row[x].min(distance + 1);
        row[x] = distance;
    }
}

fn distance_columns_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [width, height] = ground.pick([45, 23], [16384, 512]);
    let mask = ground.each(width * height, |word| u8::from(word >> 60 == 0));
    let dm = ground.up(&mask)?;
    let want = move |i: usize| {
        let (x, y) = (i % width, i / width);
        let marked = (0..height).filter(|v| mask[v * width + x] != 0).map(|v| v.abs_diff(y));
        marked.min().unwrap_or(width + height) as i32
    };
    let mut out = ground.blank(width * height, exactly(want))?;
    let shape = Shape::line(width, 128);
    let [w, h] = [width, height].map(|n| n as i32);
    trial!(
        ground,
        shape,
        distance_columns(&dm, &mut out.memory, width, height),
        original(&dm, &out.memory, w, h),
        [out]
    )
}

/// Where eight by eight pixels of a frame come from in another one, which has a margin of eight pixels.
#[gpu_kernel]
#[allow(clippy::cast_abs_to_unsigned)]
fn motion_search(current: &[u8], reference: &[u8], best: &mut [u32], width: u32, stride: u32) {
    let mut own = shared!([u8; 64]);
    let mut keys = shared!([u32; 256]);
    let t = thread_idx().y * 16 + thread_idx().x;
    let x = block_idx().x * 8;
    let y = block_idx().y * 8;
    if t < 64 {
        own[t] = current[(y + t / 8) * width + x + t % 8];
    }
    sync_threads();
    let mut sad = 0;
    for j in 0..8 {
        for i in 0..8 {
            let a = own[j * 8 + i] as i32;
            let b = reference[(y + thread_idx().y + j) * stride + x + thread_idx().x + i] as i32;
            sad += (a - b).abs() as u32;
        }
    }
    keys[t] = sad << 8 | t;
    sync_threads();
    let mut s = 128;
    while s > 0 {
        if t < s {
            keys[t] = keys[t].min(keys[t + s]);
        }
        sync_threads();
        s >>= 1;
    }
    if t == 0 {
        best[block_idx().y * grid_dim().x + block_idx().x] = keys[0];
    }
}

fn motion_search_trial(ground: &Ground) -> Result<Trial, Failure> {
    let [width, height] = ground.pick([24, 16], [1920, 1088]);
    let stride = width + 16;
    let (current, reference) = (ground.bytes(width * height), ground.bytes(stride * (height + 16)));
    let (dc, dr) = (ground.up(&current)?, ground.up(&reference)?);
    let want = move |block: usize| {
        let (x, y) = (block % (width / 8) * 8, block / (width / 8) * 8);
        let sad = |t: usize| {
            let pixel = |k: usize| {
                let here = current[(y + k / 8) * width + x + k % 8];
                here.abs_diff(reference[(y + t / 16 + k / 8) * stride + x + t % 16 + k % 8])
            };
            (0..64).map(|k| u32::from(pixel(k))).sum::<u32>()
        };
        (0..256).map(|t| sad(t) << 8 | t as u32).min().unwrap_or(0)
    };
    let mut best = ground.blank(width / 8 * height / 8, exactly(want))?;
    let shape = Shape::blocks([width as u32 / 8, height as u32 / 8, 1], [16, 16, 1]);
    let [width, stride] = [width, stride].map(|n| n as u32);
    trial!(
        ground,
        shape,
        motion_search(&dc, &dr, &mut best.memory, width, stride),
        original(&dc, &dr, &best.memory, width, stride),
        [best]
    )
}
