//! Products of square matrices and vectors.

use warpsmith::prelude::*;
use warpsmith_kernels::argument::{Matrix, matrix};
use warpsmith_kernels::number::Number;
use warpsmith_kernels::products::gemv;
use warpsmith_kernels::products::gemv::{BLOCK, HostBlock, Q4_0, Q8_0, gemv_quantized};

use crate::function::Work::Bytes;
use crate::function::{Function, Result, Run, check, hashed, kept, launches};

/// Sizes are numbers of elements of the matrix; the vectors' bytes are not counted.
pub const FUNCTIONS: &[Function] = &[
    Function::new("gemv_f32", Bytes(4.0), |d, n| square::<f32>(d, n, |x| x, false)),
    Function::new("gemv_f16", Bytes(2.0), |d, n| square::<f16>(d, n, f16::from_f32, false)),
    Function::new("gemv_bf16", Bytes(2.0), |d, n| square::<bf16>(d, n, bf16::from_f32, false)),
    Function::new("gemv_f64", Bytes(8.0), |d, n| square::<f64>(d, n, f64::from, false)),
    Function::new("gemv_t_f32", Bytes(4.0), |d, n| square::<f32>(d, n, |x| x, true)),
    Function::new("gemv_t_bf16", Bytes(2.0), |d, n| square::<bf16>(d, n, bf16::from_f32, true)),
    Function::new("gemv_q8_0", Bytes(34.0 / 32.0), quantized::<Q8_0>),
    Function::new("gemv_q4_0", Bytes(18.0 / 32.0), quantized::<Q4_0>),
];

fn square<T: Number>(device: &Device, n: usize, of: fn(f32) -> T, transposed: bool) -> Result<Run<'static>> {
    let m = n.isqrt();
    let host: Vec<T> = (0..m * m).map(|i| of(hashed(i))).collect();
    let vector: Vec<T> = (0..m).map(|i| of(hashed(i + 1))).collect();
    let a: &'static Buffer<T> = kept(device.upload(&host)?);
    let x: &'static Buffer<T> = kept(device.upload(&vector)?);
    let y = kept(device.alloc_zeroed::<T>(m)?);
    let turned = |a: Matrix<'static, T>| if transposed { a.t() } else { a };
    gemv(device, turned(matrix(a, m, m)?), x, &mut *y).run()?;
    let got = device.download(y)?;
    for r in (0..m).step_by(m / 8 + 1) {
        let at = |c: usize| host[if transposed { c * m + r } else { r * m + c }];
        let want: f64 = (0..m).map(|c| at(c).cast::<f64>() * vector[c].cast::<f64>()).sum();
        let error = (got[r].cast::<f64>() - want).abs();
        check(error <= 0.01 * want.abs() + 0.01, || {
            format!("a wrong product of {n}: row {r} is {error} off")
        })?;
    }
    launches(device, gemv(device, turned(matrix(a, m, m)?), x, y))
}

fn quantized<B: HostBlock>(device: &Device, n: usize) -> Result<Run<'static>> {
    let m = n.isqrt() / BLOCK * BLOCK;
    let block = |i: usize| B::of(&std::array::from_fn(|k| hashed(i * BLOCK + k)));
    let host: Vec<B> = (0..m * m / BLOCK).map(block).collect();
    let vector: Vec<f32> = (0..m).map(|i| hashed(i + 1)).collect();
    let (a, x) = (kept(device.upload(&host)?), kept(device.upload(&vector)?));
    let y = kept(device.alloc_zeroed::<f32>(m)?);
    gemv_quantized(device, matrix(&*a, m, m / BLOCK)?, &*x, &mut *y).run()?;
    let got = device.download(y)?;
    for r in (0..m).step_by(m / 8 + 1) {
        let row = host[r * m / BLOCK..][..m / BLOCK].iter().flat_map(HostBlock::numbers);
        let want: f64 = row.zip(&vector).map(|(a, x)| f64::from(a) * f64::from(*x)).sum();
        let error = (f64::from(got[r]) - want).abs();
        check(error <= 1e-3 * want.abs() + 1e-3, || {
            format!("a wrong product of {n}: row {r} is {error} off")
        })?;
    }
    launches(device, gemv_quantized(device, matrix(&*a, m, m / BLOCK)?, &*x, y))
}
