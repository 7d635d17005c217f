//! Times stencils and functions of images on a GPU, in bursts and sustained.
//!
//! Checks results, then prints `ours NAME_SIZE_MODE VALUE GB/s`: the bytes of both matrices, once, by the time of a prepared call.
//! Arguments are numbers of samples of the input, default 2^28, and names. With `serve`, `kernels/benches/images.py` lets it take turns
//! with CUDA by hand and PyTorch.

#[path = "../function.rs"]
mod function;

use function::Work::Bytes;
use function::{Function, Result, Run, check, hashed, kept, launches, time};
use warpsmith::prelude::*;
use warpsmith_kernels::argument::{matrix, matrix_mut};
use warpsmith_kernels::images::{
    Interpolation, Sample, Taps, bilateral, convolve, resize, stencil2d, stencil3d,
};

/// Rows and columns of the planes of a stencil in three dimensions.
const PLANE: usize = 1 << 10;

const FUNCTIONS: &[Function] = &[
    Function::new("star_1", Bytes(8.0), |d, n| flat(d, n, 1, true)),
    Function::new("star_2", Bytes(8.0), |d, n| flat(d, n, 2, true)),
    Function::new("star_4", Bytes(8.0), |d, n| flat(d, n, 4, true)),
    Function::new("box_1", Bytes(8.0), |d, n| flat(d, n, 1, false)),
    Function::new("box_2", Bytes(8.0), |d, n| flat(d, n, 2, false)),
    Function::new("box_4", Bytes(8.0), |d, n| flat(d, n, 4, false)),
    Function::new("planes_star_1", Bytes(8.0), |d, n| planes(d, n, 1, true)),
    Function::new("planes_star_2", Bytes(8.0), |d, n| planes(d, n, 2, true)),
    Function::new("planes_star_4", Bytes(8.0), |d, n| planes(d, n, 4, true)),
    Function::new("planes_box_1", Bytes(8.0), |d, n| planes(d, n, 1, false)),
    Function::new("convolve_1", Bytes(8.0), |d, n| convolved::<f32>(d, n, 1, real)),
    Function::new("convolve_2", Bytes(8.0), |d, n| convolved::<f32>(d, n, 2, real)),
    Function::new("convolve_4", Bytes(8.0), |d, n| convolved::<f32>(d, n, 4, real)),
    Function::new("convolve_8", Bytes(8.0), |d, n| convolved::<f32>(d, n, 8, real)),
    Function::new("convolve_u8_1", Bytes(2.0), |d, n| convolved::<u8>(d, n, 1, byte)),
    Function::new("convolve_u8_2", Bytes(2.0), |d, n| convolved::<u8>(d, n, 2, byte)),
    Function::new("convolve_u8_4", Bytes(2.0), |d, n| convolved::<u8>(d, n, 4, byte)),
    Function::new("convolve_u8_8", Bytes(2.0), |d, n| convolved::<u8>(d, n, 8, byte)),
    Function::new("bilateral_2", Bytes(8.0), |d, n| filtered::<f32>(d, n, [2, 1], 0.5, real)),
    Function::new("bilateral_4", Bytes(8.0), |d, n| filtered::<f32>(d, n, [4, 1], 0.5, real)),
    Function::new("bilateral_u8_4", Bytes(2.0), |d, n| filtered::<u8>(d, n, [4, 1], 30.0, byte)),
    Function::new("bilateral_rgb_4", Bytes(2.0), |d, n| filtered::<u8>(d, n, [4, 3], 30.0, byte)),
    Function::new("nearest_up", Bytes(20.0), |d, n| resized(d, n, Interpolation::Nearest, 2.0, real)),
    Function::new("bilinear_up", Bytes(20.0), |d, n| resized(d, n, Interpolation::Bilinear, 2.0, real)),
    Function::new("bicubic_up", Bytes(20.0), |d, n| resized(d, n, Interpolation::Bicubic, 2.0, real)),
    Function::new("bilinear_down", Bytes(6.25), |d, n| resized(d, n, Interpolation::Bilinear, 0.75, real)),
    Function::new("bicubic_down", Bytes(6.25), |d, n| resized(d, n, Interpolation::Bicubic, 0.75, real)),
    Function::new("bilinear_u8_up", Bytes(5.0), |d, n| resized(d, n, Interpolation::Bilinear, 2.0, byte)),
    Function::new("bilinear_f16_up", Bytes(10.0), |d, n| resized(d, n, Interpolation::Bilinear, 2.0, half)),
];

fn main() -> Result<()> {
    time(&FUNCTIONS.iter().collect::<Vec<_>>(), |_| true, &[1 << 28])
}

fn real(i: usize) -> f32 {
    hashed(i)
}

fn half(i: usize) -> f16 {
    f16::from_f32(hashed(i))
}

fn byte(i: usize) -> u8 {
    function::word(i) as u8
}

/// The weight of an offset; the peers have the same.
fn weight(first: i32, second: i32) -> f64 {
    0.1 * f64::from(first + 5) - 0.07 * f64::from(second + 3)
}

/// Square planes.
fn flat(device: &Device, n: usize, radius: i32, is_star: bool) -> Result<Run<'static>> {
    let side = n.isqrt();
    let mut taps = Vec::new();
    for row in -radius..=radius {
        for col in -radius..=radius {
            if !is_star || row == 0 || col == 0 {
                taps.push(([row, col], weight(row, col)));
            }
        }
    }
    let taps: Taps<2> = taps.into_iter().collect();
    let host: Vec<f32> = (0..side * side).map(real).collect();
    let x: &'static Buffer<f32> = kept(device.upload(&host)?);
    let y = kept(device.alloc_zeroed::<f32>(side * side)?);
    stencil2d(device, &taps, matrix(x, side, side)?, matrix_mut(&mut *y, side, side)?).run()?;
    let got = device.download(y)?;
    for i in (0..side * side).step_by(10_007) {
        let at = |own: usize, offset: i32| own.saturating_add_signed(offset as isize).min(side - 1);
        let want: f64 = taps
            .iter()
            .map(|([row, col], weight)| {
                weight * f64::from(host[at(i / side, row) * side + at(i % side, col)])
            })
            .sum();
        check((f64::from(got[i]) - want).abs() < 1e-4, || format!("{i} is {} instead of {want}", got[i]))?;
    }
    launches(device, stencil2d(device, &taps, matrix(x, side, side)?, matrix_mut(y, side, side)?))
}

/// Planes of 1024 × 1024.
fn planes(device: &Device, n: usize, radius: i32, is_star: bool) -> Result<Run<'static>> {
    let planes = n / (PLANE * PLANE);
    let mut taps = Vec::new();
    for plane in -radius..=radius {
        for row in -radius..=radius {
            for col in -radius..=radius {
                if !is_star || [plane, row, col].iter().filter(|offset| **offset != 0).count() <= 1 {
                    taps.push(([plane, row, col], weight(plane + row, col)));
                }
            }
        }
    }
    let taps: Taps<3> = taps.into_iter().collect();
    let (rows, cols) = (planes * PLANE, PLANE);
    let host: Vec<f32> = (0..rows * cols).map(real).collect();
    let x: &'static Buffer<f32> = kept(device.upload(&host)?);
    let y = kept(device.alloc_zeroed::<f32>(rows * cols)?);
    stencil3d(device, &taps, planes, matrix(x, rows, cols)?, matrix_mut(&mut *y, rows, cols)?).run()?;
    let got = device.download(y)?;
    for i in (0..rows * cols).step_by(10_007) {
        let at =
            |own: usize, offset: i32, len: usize| own.saturating_add_signed(offset as isize).min(len - 1);
        let want: f64 = taps
            .iter()
            .map(|([plane, row, col], weight)| {
                let line = at(i / PLANE / PLANE, plane, planes) * PLANE + at(i / PLANE % PLANE, row, PLANE);
                weight * f64::from(host[line * PLANE + at(i % PLANE, col, PLANE)])
            })
            .sum();
        check((f64::from(got[i]) - want).abs() < 1e-4, || format!("{i} is {} instead of {want}", got[i]))?;
    }
    launches(device, stencil3d(device, &taps, planes, matrix(x, rows, cols)?, matrix_mut(y, rows, cols)?))
}

/// Square images, and an equal number of weights along both axes.
fn convolved<T: Sample>(
    device: &Device,
    n: usize,
    radius: usize,
    fill: fn(usize) -> T,
) -> Result<Run<'static>> {
    let side = n.isqrt();
    let parts: Vec<f64> = (0..=2 * radius).map(|i| 1.0 + (i % 3) as f64).collect();
    let sum: f64 = parts.iter().sum();
    let weights: Vec<f64> = parts.iter().map(|part| part / sum).collect();
    let host: Vec<T> = (0..side * side).map(fill).collect();
    let x: &'static Buffer<T> = kept(device.upload(&host)?);
    let y = kept(device.alloc_zeroed::<T>(side * side)?);
    convolve(device, &weights, &weights, matrix(x, side, side)?, matrix_mut(&mut *y, side, side)?).run()?;
    let got = device.download(y)?;
    for i in (0..side * side).step_by(10_007) {
        let at = |own: usize, k: usize| (own + k).saturating_sub(radius).min(side - 1);
        let mut want = 0.0;
        for (k, by_row) in weights.iter().enumerate() {
            for (l, by_col) in weights.iter().enumerate() {
                want += by_row * by_col * host[at(i / side, k) * side + at(i % side, l)].cast::<f64>();
            }
        }
        let error = (got[i].cast::<f64>() - want).abs();
        check(error < if size_of::<T>() == 1 { 0.51 } else { 1e-4 }, || {
            format!("{i} is {:?}, not {want}", got[i])
        })?;
    }
    launches(device, convolve(device, &weights, &weights, matrix(x, side, side)?, matrix_mut(y, side, side)?))
}

/// Square images of pixels of several samples, with windows of a radius; `range` is that of samples.
fn filtered<T: Sample>(
    device: &Device,
    n: usize,
    [radius, channels]: [usize; 2],
    range: f64,
    fill: fn(usize) -> T,
) -> Result<Run<'static>> {
    let side = (n / channels).isqrt();
    let (cols, len) = (side * channels, side * side * channels);
    let host: Vec<T> = (0..len).map(fill).collect();
    let x: &'static Buffer<T> = kept(device.upload(&host)?);
    let y = kept(device.alloc_zeroed::<T>(len)?);
    let of = || matrix(x, side, cols);
    bilateral(device, radius, 3.0, range, of()?, matrix_mut(&mut *y, side, cols)?)
        .channels(channels)
        .run()?;
    let got = device.download(y)?;
    for i in (0..len).step_by(100_003) {
        let (row, pixel, channel) = (i / cols, i % cols / channels, i % channels);
        let at = |row: usize, pixel: usize, k: usize| host[row * cols + pixel * channels + k].cast::<f64>();
        let (mut sum, mut weights) = (0.0, 0.0);
        for k in 0..=2 * radius {
            for l in 0..=2 * radius {
                let beside = |own: usize, k: usize| (own + k).saturating_sub(radius).min(side - 1);
                let (down, right) = (beside(row, k), beside(pixel, l));
                let alike: f64 =
                    (0..channels).map(|c| (at(down, right, c) - at(row, pixel, c)).powi(2)).sum();
                let far = (k.abs_diff(radius).pow(2) + l.abs_diff(radius).pow(2)) as f64;
                let weight = (-far / 18.0 - alike / (2.0 * range * range)).exp();
                weights += weight;
                sum += weight * at(down, right, channel);
            }
        }
        let (error, want) = ((got[i].cast::<f64>() - sum / weights).abs(), sum / weights);
        check(error < if size_of::<T>() == 1 { 0.51 } else { 1e-4 }, || {
            format!("{i} is {:?}, not {want}", got[i])
        })?;
    }
    let call = bilateral(device, radius, 3.0, range, of()?, matrix_mut(y, side, cols)?).channels(channels);
    launches(device, call)
}

/// Square images, of which some pixels are compared with the definition.
fn resized<T: Sample>(
    device: &Device,
    n: usize,
    method: Interpolation,
    by: f64,
    fill: fn(usize) -> T,
) -> Result<Run<'static>> {
    let side = n.isqrt();
    let to = (side as f64 * by) as usize;
    let host: Vec<T> = (0..side * side).map(fill).collect();
    let x: &'static Buffer<T> = kept(device.upload(&host)?);
    let y = kept(device.alloc_zeroed::<T>(to * to)?);
    resize(device, method, matrix(x, side, side)?, matrix_mut(&mut *y, to, to)?).run()?;
    let got = device.download(y)?;
    for i in (0..to * to).step_by(10_007) {
        let want = exact(&host, side, to, [i / to, i % to], method);
        let error = (got[i].cast::<f64>() - want.clamp(f64::from(T::LOWEST.cast::<f32>()), 255.0)).abs();
        let most = [0.0, 0.51, 1e-3, 0.0, 1e-4][size_of::<T>()];
        check(error < most, || format!("{i} is {:?} instead of {want}", got[i]))?;
    }
    launches(device, resize(device, method, matrix(x, side, side)?, matrix_mut(y, to, to)?))
}

/// A resized pixel by definition.
fn exact<T: Sample>(x: &[T], from: usize, to: usize, place: [usize; 2], method: Interpolation) -> f64 {
    let weight = |d: f64| match method {
        Interpolation::Nearest => f64::from(u8::from((-0.5..0.5).contains(&d))),
        Interpolation::Bilinear => (1.0 - d.abs()).max(0.0),
        Interpolation::Bicubic if d.abs() <= 1.0 => 1.25 * d.abs().powi(3) - 2.25 * d.powi(2) + 1.0,
        Interpolation::Bicubic => -0.75 * ((d.abs() - 5.0) * d.powi(2) + 8.0 * d.abs() - 4.0),
    };
    let shares = |i: usize| {
        let centre = (i as f64 + 0.5) * from as f64 / to as f64 - 0.5;
        let first = centre.floor() as isize;
        let taps = first - 1..first + 3;
        taps.map(move |k| (k.clamp(0, from as isize - 1) as usize, centre - k as f64))
            .filter(|(_, d)| d.abs() < 2.0)
    };
    let mut sum = 0.0;
    for (row, down) in shares(place[0]) {
        for (col, across) in shares(place[1]) {
            sum += weight(-down) * weight(-across) * x[row * from + col].cast::<f64>();
        }
    }
    sum
}
