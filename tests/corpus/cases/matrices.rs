//! Matrix products.

use warpsmith::{Device, Kernel};

use super::data::{Random, close};
use super::{Case, Scale, module, print, text};
use crate::matmul::{Matrix, SubMatrix, mat_mul_naive, mat_mul_tiled, tiled_matmul};

/// [`tiled_matmul()`] with tiles of one width.
macro_rules! tile {
    ($name:literal, $width:literal) => {
        Case {
            name: $name,
            print: |options| tiled_matmul::print(&($width,), options),
            module: || tiled_matmul::module(&($width,)),
            check: |device, scale| check_widths(device, scale, $width),
        }
    };
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case {
            name: "mat_mul_naive",
            print: print::<mat_mul_naive>,
            module: module::<mat_mul_naive>,
            check: check_naive,
        },
        Case {
            name: "mat_mul_tiled",
            print: print::<mat_mul_tiled>,
            module: module::<mat_mul_tiled>,
            check: check_tiled,
        },
        tile!("tiled_matmul@tile_1", 1),
        tile!("tiled_matmul@tile_5", 5),
        tile!("tiled_matmul@tile_8", 8),
        tile!("tiled_matmul@tile_16", 16),
        tile!("tiled_matmul@tile_24", 24),
        tile!("tiled_matmul@tile_32", 32),
    ]
}

/// Compares a sample of the product, row-major `[m, n]`, with sums in `f64`.
pub(super) fn check_product(got: &[f32], a: &[f32], b: &[f32], [m, k, n]: [usize; 3]) -> Result<(), String> {
    if let Some(i) = got.iter().position(|v| v.is_nan()) {
        return Err(format!("element {i} was not written"));
    }
    let stride = (m * n / 10_007).max(1);
    let sample: Vec<f32> = got.iter().copied().step_by(stride).collect();
    let want = |s: usize| {
        let (row, col) = (s * stride / n, s * stride % n);
        (0..k).map(|e| f64::from(a[row * k + e]) * f64::from(b[e * n + col])).sum()
    };
    close(&sample, want, 1e-3)
}

fn check_naive(device: &Device, scale: Scale) -> Result<(), String> {
    let [m, k, n] = scale.pick([45, 37, 51], [4096, 4096, 4096]);
    let mut random = Random::new("mat_mul_naive");
    let (a, b) = (random.floats(m * k), random.floats(k * n));
    let (mut da, mut db) = (device.upload(&a).map_err(text)?, device.upload(&b).map_err(text)?);
    let mut dc = device.upload(&vec![f32::NAN; m * n]).map_err(text)?;
    let [ma, mb, mc] = [(&mut da, m, k), (&mut db, k, n), (&mut dc, m, n)].map(|(buffer, height, width)| {
        Matrix { width: width as u32, height: height as u32, elements: buffer.view_mut() }
    });
    mat_mul_naive(ma, mb, mc).over_2d([n, m]).block([16, 16]).launch(device).map_err(text)?;
    check_product(&device.download(&dc).map_err(text)?, &a, &b, [m, k, n])
}

fn check_tiled(device: &Device, scale: Scale) -> Result<(), String> {
    let [m, k, n] = scale.pick([48, 32, 64], [4096, 4096, 4096]);
    let mut random = Random::new("mat_mul_tiled");
    let (a, b) = (random.floats(m * k), random.floats(k * n));
    let (mut da, mut db) = (device.upload(&a).map_err(text)?, device.upload(&b).map_err(text)?);
    let mut dc = device.upload(&vec![f32::NAN; m * n]).map_err(text)?;
    let [ma, mb, mc] = [(&mut da, m, k), (&mut db, k, n), (&mut dc, m, n)].map(|(buffer, height, width)| {
        let (width, height) = (width as u32, height as u32);
        SubMatrix { width, height, stride: width, elements: buffer.view_mut() }
    });
    mat_mul_tiled(ma, mb, mc).over_2d([n, m]).block([16, 16]).launch(device).map_err(text)?;
    check_product(&device.download(&dc).map_err(text)?, &a, &b, [m, k, n])
}

/// Extents that no tile but that of one element divides, extents that are one tile, and some below it.
fn check_widths(device: &Device, scale: Scale, tile: u32) -> Result<(), String> {
    let width = tile as usize;
    // A block of a narrow tile fills a part of a warp: a real size would take it minutes.
    let real = if tile < 8 { [1021, 1031, 1033] } else { [4095, 4099, 4111] };
    check_ragged(device, scale.pick([45, 37, 51], real), tile)?;
    check_ragged(device, [width; 3], tile)?;
    check_ragged(device, [width.div_ceil(2), width + 1, 1], tile)
}

fn check_ragged(device: &Device, [m, k, n]: [usize; 3], tile: u32) -> Result<(), String> {
    let mut random = Random::new("tiled_matmul");
    let (a, b) = (random.floats(m * k), random.floats(k * n));
    let (da, db) = (device.upload(&a).map_err(text)?, device.upload(&b).map_err(text)?);
    let mut dc = device.upload(&vec![f32::NAN; m * n]).map_err(text)?;
    tiled_matmul(&da, &db, &mut dc, m as u32, k as u32, n as u32, tile)
        .over_2d([n, m])
        .block([tile, tile])
        .launch(device)
        .map_err(text)?;
    check_product(&device.download(&dc).map_err(text)?, &a, &b, [m, k, n])
}
