//! Times Fourier transforms on a GPU, in bursts and sustained.
//!
//! Checks results, then prints `ours NAME_SIZE_MODE VALUE GB/s`: the bytes of the elements, read and written once, by the time of a
//! prepared call. Arguments are lengths of rows, default 4096, and the names `fft`, `ifft`, `rfft`, `irfft` and `fft_one`, which transforms a single row.
//! With `serve`, `kernels/benches/spectra.py` lets it take turns with cuFFT.
//! `WORKSPACE=16777216` sets the bytes between two launches.

#[path = "../function.rs"]
mod function;

use function::Work::Operations;
use function::{Function, Result, Run, check, hashed, kept, launches, setting, time};
use warpsmith::prelude::*;
use warpsmith_kernels::argument::{matrix, matrix_mut};
use warpsmith_kernels::fft::{Complex32, fft, ifft, irfft, rfft};

/// Elements of all rows together.
const ELEMENTS: usize = 1 << 27;

const FUNCTIONS: [Function; 5] = [
    Function::new("fft", Operations(|_| 16.0 * ELEMENTS as f64), |d, n| rows(d, n, ELEMENTS / n, false)),
    Function::new("ifft", Operations(|_| 16.0 * ELEMENTS as f64), |d, n| rows(d, n, ELEMENTS / n, true)),
    Function::new("rfft", Operations(|_| 8.0 * ELEMENTS as f64), |d, n| real_rows(d, n, ELEMENTS / n, false)),
    Function::new("irfft", Operations(|_| 8.0 * ELEMENTS as f64), |d, n| real_rows(d, n, ELEMENTS / n, true)),
    Function::new("fft_one", Operations(|n| 16.0 * n as f64), |d, n| rows(d, n, 1, false)),
];

fn main() -> Result<()> {
    time(&FUNCTIONS.each_ref(), |name| name == "fft", &[4096])
}

fn rows(device: &Device, n: usize, batch: usize, is_inverse: bool) -> Result<Run<'static>> {
    let host: Vec<Complex32> =
        (0..batch * n).map(|i| Complex32 { re: hashed(2 * i), im: hashed(2 * i + 1) }).collect();
    let x: &'static Buffer<Complex32> = kept(device.upload(&host)?);
    let y = kept(device.alloc_zeroed::<Complex32>(batch * n)?);
    let transform = if is_inverse { ifft } else { fft };
    transform(device, matrix(x, batch, n)?, matrix_mut(&mut *y, batch, n)?).run()?;
    let got = device.download(y)?;
    for row in [0, batch / 3, batch - 1] {
        for k in [0, 1, n / 3, n / 2, n - 1] {
            let (re, im) = exact(&host[row * n..][..n], k, is_inverse);
            let y = got[row * n + k];
            let error = (f64::from(y.re) - re).hypot(f64::from(y.im) - im);
            let size = if is_inverse { 1.0 / (n as f64).sqrt() } else { (n as f64).sqrt() };
            check(error <= 1e-6 * size * f64::from(n.ilog2().max(1)), || {
                format!("element {k} of row {row} is {y:?} instead of {re}, {im}")
            })?;
        }
    }
    let call = transform(device, matrix(x, batch, n)?, matrix_mut(y, batch, n)?);
    launches(device, if let Some(bytes) = setting("WORKSPACE") { call.workspace(bytes) } else { call })
}

/// Spectra of real rows, or real rows of these spectra.
fn real_rows(device: &Device, n: usize, batch: usize, is_inverse: bool) -> Result<Run<'static>> {
    let (half, host) = (n / 2 + 1, (0..batch * n).map(hashed).collect::<Vec<f32>>());
    let x = kept(device.upload(&host)?);
    let y = kept(device.alloc_zeroed::<Complex32>(batch * half)?);
    rfft(device, matrix(&*x, batch, n)?, matrix_mut(&mut *y, batch, half)?).run()?;
    let got = device.download(y)?;
    for row in [0, batch / 3, batch - 1] {
        let complex: Vec<Complex32> =
            host[row * n..][..n].iter().map(|re| Complex32 { re: *re, im: 0.0 }).collect();
        for k in [0, 1, n / 3, n / 2] {
            let (re, im) = exact(&complex, k, false);
            let y = got[row * half + k];
            let error = (f64::from(y.re) - re).hypot(f64::from(y.im) - im);
            check(error <= 1e-6 * (n as f64).sqrt() * f64::from(n.ilog2().max(1)), || {
                format!("element {k} of row {row} is {y:?} instead of {re}, {im}")
            })?;
        }
    }
    if !is_inverse {
        return launches(device, rfft(device, matrix(&*x, batch, n)?, matrix_mut(y, batch, half)?));
    }
    irfft(device, matrix(&*y, batch, half)?, matrix_mut(&mut *x, batch, n)?).run()?;
    for (i, (got, want)) in device.download(x)?.iter().zip(&host).enumerate() {
        check((got - want).abs() <= 1e-5, || format!("element {i} is {got} instead of {want}"))?;
    }
    launches(device, irfft(device, matrix(&*y, batch, half)?, matrix_mut(x, batch, n)?))
}

/// One element of a spectrum, in `f64`.
fn exact(x: &[Complex32], k: usize, is_inverse: bool) -> (f64, f64) {
    let n = x.len();
    let sign = if is_inverse { 1.0 } else { -1.0 };
    let sum = x.iter().enumerate().fold((0.0, 0.0), |(re, im), (j, x)| {
        let (sine, cosine) = (sign * std::f64::consts::TAU * (j * k % n) as f64 / n as f64).sin_cos();
        let (a, b) = (f64::from(x.re), f64::from(x.im));
        (re + a * cosine - b * sine, im + a * sine + b * cosine)
    });
    let factor = if is_inverse { 1.0 / n as f64 } else { 1.0 };
    (sum.0 * factor, sum.1 * factor)
}
