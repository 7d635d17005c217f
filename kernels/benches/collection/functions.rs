//! The functions that are timed: their inputs, their bytes, and what they must give.

use warpsmith::prelude::*;
use warpsmith_kernels::reduction::{ArgMax, Max, Mean, OwnSum, Reduction, Sum, Variance, dot, reduce};
use warpsmith_kernels::scan::{Word, exclusive_scan, inclusive_scan};
use warpsmith_kernels::{Call, Family, KernelError};

use crate::turns::{Run, samples};

/// A function by its name in the table.
pub struct Function {
    pub name: &'static str,
    /// Bytes that have to be read and written, for so many elements.
    pub bytes: fn(usize) -> f64,
    /// Its inputs, its result checked, and its launches.
    pub make: fn(&Device, usize) -> Result<Run<'static>, KernelError>,
}

/// Elements of a row, where rows are reduced.
const COLS: usize = 8192;

pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "sum_f32",
        bytes: |n| 4.0 * n as f64,
        make: |d, n| whole::<Sum<f32>>(d, n, unit, near_zero),
    },
    Function {
        name: "sum_bf16",
        bytes: |n| 2.0 * n as f64,
        make: |d, n| whole::<Sum<bf16>>(d, n, halves, near_zero),
    },
    Function {
        name: "sum_f64",
        bytes: |n| 8.0 * n as f64,
        make: |d, n| whole::<Sum<f64>>(d, n, doubles, |_, y| y.abs() < 1e6),
    },
    Function {
        name: "sum_i32",
        bytes: |n| 4.0 * n as f64,
        make: |d, n| whole::<Sum<i32>>(d, n, whole_numbers, sum_of),
    },
    Function {
        name: "max_i32",
        bytes: |n| 4.0 * n as f64,
        make: |d, n| whole::<Max<i32>>(d, n, whole_numbers, |x, y| x.iter().max() == Some(&y)),
    },
    Function {
        name: "argmax_f32",
        bytes: |n| 4.0 * n as f64,
        make: |d, n| whole::<ArgMax<f32>>(d, n, unit, is_first_maximum),
    },
    Function {
        name: "mean_f32",
        bytes: |n| 4.0 * n as f64,
        make: |d, n| whole::<Mean<f32>>(d, n, unit, |_, y| y.abs() < 0.01),
    },
    Function {
        name: "variance_f32",
        bytes: |n| 4.0 * n as f64,
        make: |d, n| whole::<Variance<f32>>(d, n, unit, |_, y| (y - 1.0 / 3.0).abs() < 0.01),
    },
    Function { name: "dot_f32", bytes: |n| 8.0 * n as f64, make: dot_f32 },
    Function { name: "rows_sum_f32", bytes: |n| 4.0 * n as f64, make: |d, n| axis(d, [n / COLS, COLS, 1]) },
    Function {
        name: "short_rows_sum_f32",
        bytes: |n| 4.0 * n as f64 * (1.0 + 1.0 / 64.0),
        make: |d, n| axis(d, [n / 64, 64, 1]),
    },
    Function {
        name: "columns_sum_f32",
        bytes: |n| 4.0 * n as f64,
        make: |d, n| axis(d, [1, n / COLS, COLS]),
    },
    Function {
        name: "scan_f32",
        bytes: |n| 8.0 * n as f64,
        make: |d, n| scan::<Sum<f32>>(d, n, unit, false, is_near),
    },
    Function {
        name: "scan_u32",
        bytes: |n| 8.0 * n as f64,
        make: |d, n| scan::<OwnSum<u32>>(d, n, naturals, false, is_inclusive),
    },
    Function {
        name: "scan_i64",
        bytes: |n| 16.0 * n as f64,
        make: |d, n| scan::<Sum<i64>>(d, n, longs, false, is_sum_of_longs),
    },
    Function {
        name: "exclusive_u32",
        bytes: |n| 8.0 * n as f64,
        make: |d, n| scan::<OwnSum<u32>>(d, n, naturals, true, is_exclusive),
    },
];

/// A number of [-1, 1) for an index; the peer has the same.
pub fn hashed(i: usize) -> f32 {
    let mut h = (i as u32).wrapping_mul(2_654_435_761);
    h ^= h >> 15;
    h = h.wrapping_mul(2_246_822_519);
    h ^= h >> 13;
    (h >> 8) as f32 / 8_388_608.0 - 1.0
}

pub fn unit(n: usize) -> Vec<f32> {
    (0..n).map(hashed).collect()
}

pub fn halves(n: usize) -> Vec<bf16> {
    (0..n).map(|i| bf16::from_f32(hashed(i))).collect()
}

fn doubles(n: usize) -> Vec<f64> {
    (0..n).map(|i| f64::from(hashed(i))).collect()
}

fn whole_numbers(n: usize) -> Vec<i32> {
    (0..n).map(|i| (hashed(i) * 1000.0) as i32).collect()
}

fn longs(n: usize) -> Vec<i64> {
    (0..n).map(|i| (hashed(i) * 1000.0) as i64).collect()
}

fn naturals(n: usize) -> Vec<u32> {
    (0..n).map(|i| (hashed(i) * 1000.0) as i32 as u32).collect()
}

/// The sum of random numbers is small beside that of their sizes.
fn near_zero<T>(x: &[T], y: f32) -> bool {
    y.abs() < 100.0 * (x.len() as f32).sqrt()
}

fn sum_of(x: &[i32], y: i64) -> bool {
    x.iter().map(|x| i64::from(*x)).sum::<i64>() == y
}

fn is_first_maximum(x: &[f32], y: u64) -> bool {
    let greatest = x.iter().fold(f32::MIN, |a, b| a.max(*b));
    x.iter().position(|x| *x == greatest) == Some(y as usize)
}

fn is_inclusive(x: &[u32], y: &[u32]) -> bool {
    let mut sum = 0u32;
    x.iter().zip(y).all(|(x, y)| {
        sum = sum.wrapping_add(*x);
        sum == *y
    })
}

fn is_sum_of_longs(x: &[i64], y: &[i64]) -> bool {
    let mut sum = 0;
    x.iter().zip(y).all(|(x, y)| {
        sum += x;
        sum == *y
    })
}

fn is_near(x: &[f32], y: &[f32]) -> bool {
    let mut sum = 0.0f64;
    x.iter().zip(y).enumerate().all(|(i, (x, y))| {
        sum += f64::from(*x);
        (sum - f64::from(*y)).abs() < 1e-3 * (i as f64 + 1.0).sqrt() + 1e-4 * sum.abs()
    })
}

fn is_exclusive(x: &[u32], y: &[u32]) -> bool {
    let mut sum = 0u32;
    x.iter().zip(y).all(|(x, y)| {
        let is_right = sum == *y;
        sum = sum.wrapping_add(*x);
        is_right
    })
}

/// Launches of a prepared call.
pub fn repeated<F: Family<'static>>(
    device: &Device,
    call: Call<'static, F>,
) -> Result<Run<'static>, KernelError> {
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

/// Memory for the rest of the process, which ends with its last function.
pub fn kept<T: GpuType>(buffer: Buffer<T>) -> &'static mut Buffer<T> {
    Box::leak(Box::new(buffer))
}

fn whole<R: Reduction>(
    device: &Device,
    n: usize,
    make: fn(usize) -> Vec<R::Element>,
    is_right: fn(&[R::Element], R::Output) -> bool,
) -> Result<Run<'static>, KernelError> {
    let host = make(n);
    let (x, y) = (kept(device.upload(&host)?), kept(device.alloc_zeroed::<R::Output>(1)?));
    reduce::<R>(device, &*x, &mut *y).run()?;
    assert!(is_right(&host, device.download(y)?[0]), "a wrong result of {n} elements");
    let call = reduce::<R>(device, &*x, y);
    let blocks = std::env::var("BLOCKS").ok().and_then(|blocks| blocks.parse().ok());
    repeated(device, if let Some(blocks) = blocks { call.blocks(blocks) } else { call })
}

fn dot_f32(device: &Device, n: usize) -> Result<Run<'static>, KernelError> {
    let host = unit(n);
    let (x, z) = (kept(device.upload(&host)?), kept(device.upload(&host)?));
    let y = kept(device.alloc_zeroed::<f32>(1)?);
    dot(device, &*x, &*z, &mut *y).run()?;
    let want: f64 = host.iter().map(|x| f64::from(*x).powi(2)).sum();
    let got = f64::from(device.download(y)?[0]);
    assert!((got - want).abs() < 1e-4 * want, "{got} instead of {want}");
    repeated(device, dot(device, &*x, &*z, y))
}

fn axis(device: &Device, shape: [usize; 3]) -> Result<Run<'static>, KernelError> {
    let [outer, n, inner] = shape;
    let host = unit(outer * n * inner);
    let (x, y) = (kept(device.upload(&host)?), kept(device.alloc_zeroed::<f32>(outer * inner)?));
    reduce::<Sum<f32>>(device, &*x, &mut *y).axis(&shape, 1).run()?;
    let got = device.download(y)?;
    for at in [0, outer * inner / 2, outer * inner - 1] {
        let of = (0..n).map(|k| f64::from(host[(at / inner * n + k) * inner + at % inner]));
        let want: f64 = of.sum();
        assert!((f64::from(got[at]) - want).abs() < 1e-4 * n as f64, "{} instead of {want}", got[at]);
    }
    repeated(device, reduce::<Sum<f32>>(device, &*x, y).axis(&shape, 1))
}

/// Whether the second slice is the scan of the first.
type IsScan<R> = fn(&[<R as Reduction>::Element], &[<R as Reduction>::Output]) -> bool;

fn scan<R: Reduction>(
    device: &Device,
    n: usize,
    make: fn(usize) -> Vec<R::Element>,
    exclusive: bool,
    is_right: IsScan<R>,
) -> Result<Run<'static>, KernelError>
where
    R::Partial: Word,
{
    let host = make(n);
    let (x, y) = (kept(device.upload(&host)?), kept(device.alloc_zeroed::<R::Output>(n)?));
    if exclusive {
        exclusive_scan::<R>(device, &*x, &mut *y).run()?;
    } else {
        inclusive_scan::<R>(device, &*x, &mut *y).run()?;
    }
    assert!(is_right(&host, &device.download(y)?), "a wrong scan of {n} elements");
    repeated(
        device,
        if exclusive { exclusive_scan::<R>(device, &*x, y) } else { inclusive_scan::<R>(device, &*x, y) },
    )
}
