//! Scans.

use warpsmith::prelude::*;
use warpsmith_kernels::reduction::{OwnSum, Reduction, Sum};
use warpsmith_kernels::scan::{Word, exclusive_scan, inclusive_scan};

use crate::function::Work::Bytes;
use crate::function::{Function, Result, Run, check, kept, launches};
use crate::inputs::{longs, naturals, unit};

/// Sizes are numbers of elements.
pub const FUNCTIONS: &[Function] = &[
    Function::new("scan_f32", Bytes(8.0), |d, n| scan::<Sum<f32>>(d, n, unit, false, is_near)),
    Function::new("scan_u32", Bytes(8.0), |d, n| scan::<OwnSum<u32>>(d, n, naturals, false, is_inclusive)),
    Function::new("scan_i64", Bytes(16.0), |d, n| scan::<Sum<i64>>(d, n, longs, false, is_sum_of_longs)),
    Function::new("exclusive_u32", Bytes(8.0), |d, n| {
        scan::<OwnSum<u32>>(d, n, naturals, true, is_exclusive)
    }),
];

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

/// Whether the second slice is the scan of the first.
type IsScan<R> = fn(&[<R as Reduction>::Element], &[<R as Reduction>::Output]) -> bool;

fn scan<R: Reduction>(
    device: &Device,
    n: usize,
    make: fn(usize) -> Vec<R::Element>,
    exclusive: bool,
    is_right: IsScan<R>,
) -> Result<Run<'static>>
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
    check(is_right(&host, &device.download(y)?), || format!("a wrong scan of {n} elements"))?;
    launches(
        device,
        if exclusive { exclusive_scan::<R>(device, &*x, y) } else { inclusive_scan::<R>(device, &*x, y) },
    )
}
