//! Reductions: of all elements, of rows, and of columns.

use warpsmith::prelude::*;
use warpsmith_kernels::reduction::{ArgMax, Max, Mean, Reduction, Sum, Variance, dot, reduce};

use crate::function::Work::Bytes;
use crate::function::{Function, Result, Run, check, kept, launches, setting};
use crate::inputs::{doubles, halves, unit, whole_numbers};

/// Elements of a row, where rows are reduced.
const COLS: usize = 8192;

/// Sizes are numbers of elements.
pub const FUNCTIONS: &[Function] = &[
    Function::new("sum_f32", Bytes(4.0), |d, n| whole::<Sum<f32>>(d, n, unit, near_zero)),
    Function::new("sum_bf16", Bytes(2.0), |d, n| whole::<Sum<bf16>>(d, n, halves, near_zero)),
    Function::new("sum_f64", Bytes(8.0), |d, n| whole::<Sum<f64>>(d, n, doubles, |_, y| y.abs() < 1e6)),
    Function::new("sum_i32", Bytes(4.0), |d, n| whole::<Sum<i32>>(d, n, whole_numbers, sum_of)),
    Function::new("max_i32", Bytes(4.0), |d, n| {
        whole::<Max<i32>>(d, n, whole_numbers, |x, y| x.iter().max() == Some(&y))
    }),
    Function::new("argmax_f32", Bytes(4.0), |d, n| whole::<ArgMax<f32>>(d, n, unit, is_first_maximum)),
    Function::new("mean_f32", Bytes(4.0), |d, n| whole::<Mean<f32>>(d, n, unit, |_, y| y.abs() < 0.01)),
    Function::new("variance_f32", Bytes(4.0), |d, n| {
        whole::<Variance<f32>>(d, n, unit, |_, y| (y - 1.0 / 3.0).abs() < 0.01)
    }),
    Function::new("dot_f32", Bytes(8.0), dot_f32),
    Function::new("rows_sum_f32", Bytes(4.0), |d, n| axis(d, [n / COLS, COLS, 1])),
    Function::new("short_rows_sum_f32", Bytes(4.0 * (1.0 + 1.0 / 64.0)), |d, n| axis(d, [n / 64, 64, 1])),
    Function::new("columns_sum_f32", Bytes(4.0), |d, n| axis(d, [1, n / COLS, COLS])),
];

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

fn whole<R: Reduction>(
    device: &Device,
    n: usize,
    make: fn(usize) -> Vec<R::Element>,
    is_right: fn(&[R::Element], R::Output) -> bool,
) -> Result<Run<'static>> {
    let host = make(n);
    let (x, y) = (kept(device.upload(&host)?), kept(device.alloc_zeroed::<R::Output>(1)?));
    reduce::<R>(device, &*x, &mut *y).run()?;
    check(is_right(&host, device.download(y)?[0]), || format!("a wrong result of {n} elements"))?;
    let call = reduce::<R>(device, &*x, y);
    launches(device, if let Some(blocks) = setting("BLOCKS") { call.blocks(blocks) } else { call })
}

fn dot_f32(device: &Device, n: usize) -> Result<Run<'static>> {
    let host = unit(n);
    let (x, z) = (kept(device.upload(&host)?), kept(device.upload(&host)?));
    let y = kept(device.alloc_zeroed::<f32>(1)?);
    dot(device, &*x, &*z, &mut *y).run()?;
    let want: f64 = host.iter().map(|x| f64::from(*x).powi(2)).sum();
    let got = f64::from(device.download(y)?[0]);
    check((got - want).abs() < 1e-4 * want, || format!("{got} instead of {want}"))?;
    launches(device, dot(device, &*x, &*z, y))
}

fn axis(device: &Device, shape: [usize; 3]) -> Result<Run<'static>> {
    let [outer, n, inner] = shape;
    let host = unit(outer * n * inner);
    let (x, y) = (kept(device.upload(&host)?), kept(device.alloc_zeroed::<f32>(outer * inner)?));
    reduce::<Sum<f32>>(device, &*x, &mut *y).axis(&shape, 1).run()?;
    let all = device.download(y)?;
    for at in [0, outer * inner / 2, outer * inner - 1] {
        let of = (0..n).map(|k| f64::from(host[(at / inner * n + k) * inner + at % inner]));
        let (want, got) = (of.sum::<f64>(), f64::from(all[at]));
        check((got - want).abs() < 1e-4 * n as f64, || format!("{got} instead of {want}"))?;
    }
    launches(device, reduce::<Sum<f32>>(device, &*x, y).axis(&shape, 1))
}
