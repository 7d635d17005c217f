//! Times products of matrices on a GPU: in bursts and sustained, or, with `serve`, in turns with cuBLAS (`kernels/benches/gemm.py`).
//!
//! Names are `bf16_tn`, `bf16_nn`, `f32_tn` and `f32_nn`, with a size of square matrices, and `shape` with the line of a shape in
//! `shapes.txt`, from 0 on. Some elements of each product are checked. It prints `ours NAME_SIZE_MODE VALUE TFLOP/s`. `TILE=128x256`
//! sets the tile.

#[path = "../../../benches/turns.rs"]
mod turns;

use turns::{Run, Timed, Unit, samples, serve, take_turns};
use warpsmith::prelude::*;
use warpsmith_kernels::KernelError;
use warpsmith_kernels::argument::{matrix, matrix_mut};
use warpsmith_kernels::products::{ProductElement, gemm};

const SHAPES: &str = include_str!("shapes.txt");
const SQUARES: [&str; 4] = ["bf16_tn", "bf16_nn", "f32_tn", "f32_nn"];

fn main() -> Result<(), KernelError> {
    let device = match Device::gpu(0) {
        Ok(device) => device,
        Err(missing) => {
            println!("skipped: {missing}");
            return Ok(());
        }
    };
    println!("device {}", device.name());
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    if words.iter().any(|word| word == "serve") {
        let mut made: Option<(String, Run)> = None;
        return Ok(serve(|name, size, count| {
            let key = format!("{name} {size}");
            if made.as_ref().is_none_or(|(known, _)| *known != key) {
                // The memory of the product before is free first.
                drop(made.take());
                made =
                    Some((key, make(&device, name, size).unwrap_or_else(|e| panic!("{name} {size}: {e}"))));
            }
            made.as_mut().expect("just made").1(count)
        })?);
    }
    for size in [4096, 8192] {
        for name in
            SQUARES.into_iter().filter(|name| words.is_empty() || words.iter().any(|word| word == name))
        {
            let (run, work) = (make(&device, name, size)?, 2.0 * (size as f64).powi(3));
            take_turns(&mut [Timed { name: format!("{name}_{size}"), work, unit: Unit::Teraflops, run }])?;
        }
    }
    Ok(())
}

/// The launches of a product by its name and size.
fn make(device: &Device, name: &str, size: usize) -> Result<Run<'static>, KernelError> {
    let square = [size; 3];
    match name {
        "bf16_tn" => product(device, square, true, bf16::from_f32, bf16::to_f32),
        "bf16_nn" => product(device, square, false, bf16::from_f32, bf16::to_f32),
        "f32_tn" => product(device, square, true, |x| x, |x| x),
        "f32_nn" => product(device, square, false, |x| x, |x| x),
        "shape" => product(device, shape(size), true, bf16::from_f32, bf16::to_f32),
        _ => panic!("no product is called {name}"),
    }
}

fn shape(line: usize) -> [usize; 3] {
    let line = SHAPES.lines().filter(|line| !line.starts_with('#')).nth(line).expect("a line of a shape");
    let numbers: Vec<usize> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
    numbers.try_into().expect("three extents")
}

/// A number of [-1, 1) for an index.
fn hashed(i: usize) -> f32 {
    let mut h = (i as u32).wrapping_mul(2_654_435_761);
    h ^= h >> 15;
    h = h.wrapping_mul(2_246_822_519);
    h ^= h >> 13;
    (h >> 8) as f32 / 8_388_608.0 - 1.0
}

fn product<T: ProductElement>(
    device: &Device,
    [m, n, k]: [usize; 3],
    is_turned: bool,
    of: fn(f32) -> T,
    value: fn(T) -> f32,
) -> Result<Run<'static>, KernelError> {
    let host = |len: usize, seed: usize| -> Vec<T> { (0..len).map(|i| of(hashed(i + seed))).collect() };
    let (x, w) = (host(m * k, 0), host(n * k, 77));
    // They live as long as the process, which has at most a few dozen.
    let a: &'static Buffer<T> = Box::leak(Box::new(device.upload(&x)?));
    let b: &'static Buffer<T> = Box::leak(Box::new(device.upload(&w)?));
    let c: &'static mut Buffer<T> = Box::leak(Box::new(device.alloc_zeroed(m * n)?));
    let of_b = || if is_turned { Ok(matrix(b, n, k)?.t()) } else { matrix(b, k, n) };
    gemm(device, matrix(a, m, k)?, of_b()?, matrix_mut(&mut *c, m, n)?).run()?;
    let got = device.download(c)?;
    for i in 0..200 {
        let (row, col) = (i * 7919 % m, i * 104_729 % n);
        let at = |e: usize| if is_turned { col * k + e } else { e * n + col };
        let want: f64 = (0..k).map(|e| f64::from(value(x[row * k + e])) * f64::from(value(w[at(e)]))).sum();
        let got = f64::from(value(got[row * n + col]));
        assert!((got - want).abs() < 0.01 * want.abs() + 0.01, "({row}, {col}): {got} instead of {want}");
    }
    let call = gemm(device, matrix(a, m, k)?, of_b()?, matrix_mut(c, m, n)?);
    let tile = std::env::var("TILE").ok();
    let tile = tile.as_deref().and_then(|tile| tile.split_once('x'));
    let call = match tile.and_then(|(rows, cols)| rows.parse().ok().zip(cols.parse().ok())) {
        Some((rows, cols)) => call.tile(rows, cols),
        None => call,
    };
    let (device, mut prepared) = (device.clone(), call.prepare()?);
    println!("plan {}", prepared.plan());
    Ok(Box::new(move |count| {
        samples(&device, count, &mut || match prepared.launch() {
            Ok(()) => Ok(()),
            Err(KernelError::Launch(error)) => Err(error),
            Err(error) => panic!("{error}"),
        })
    }))
}
