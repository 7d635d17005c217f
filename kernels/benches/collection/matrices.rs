//! Functions of matrices: rows of 8192 columns, and square matrices.

use warpsmith::prelude::*;
use warpsmith_kernels::Call;
use warpsmith_kernels::argument::{Matrix, MatrixMut, matrix, matrix_mut};
use warpsmith_kernels::movement::{Movement, copy, permute, transpose};
use warpsmith_kernels::rows::{
    Norm, RowElement, RowFunction, Rows, layer_norm, log_softmax, rms_norm, softmax,
};

use crate::function::Work::Bytes;
use crate::function::{Function, Result, Run, check, kept, launches, setting};
use crate::inputs::{halves, unit};

/// Columns of a row.
const COLS: usize = 8192;

/// Sizes are numbers of elements.
pub const FUNCTIONS: &[Function] = &[
    Function::new("softmax_f32", Bytes(8.0), |d, n| rows(d, n, unit, softmax, is_softmax)),
    Function::new("softmax_bf16", Bytes(4.0), |d, n| rows(d, n, halves, softmax, is_softmax)),
    Function::new("log_softmax_f32", Bytes(8.0), |d, n| rows(d, n, unit, log_softmax, is_log_softmax)),
    Function::new("rms_norm_f32", Bytes(8.0), |d, n| norms(d, n, unit, rms_norm, is_rms_norm)),
    Function::new("rms_norm_bf16", Bytes(4.0), |d, n| norms(d, n, halves, rms_norm, is_rms_norm)),
    Function::new("layer_norm_bf16", Bytes(4.0), |d, n| norms(d, n, halves, layer_norm, is_rms_norm)),
    Function::new("transpose_u8", Bytes(2.0), turned::<u8>),
    Function::new("transpose_u16", Bytes(4.0), turned::<u16>),
    Function::new("transpose_f32", Bytes(8.0), turned::<u32>),
    Function::new("transpose_f64", Bytes(16.0), turned::<u64>),
    Function::new("copy_f32", Bytes(8.0), copied),
    Function::new("heads_bf16", Bytes(4.0), heads),
    Function::new("batched_transpose_f32", Bytes(8.0), batched),
];

type Make<F, T> =
    fn(&Device, Matrix<'static, T>, MatrixMut<'static, T>) -> Call<'static, Rows<'static, F, T>>;

fn floats<T: RowElement>(x: &[T]) -> Vec<f32> {
    x.iter().map(|x| x.cast::<f32>()).collect()
}

fn rows<F: RowFunction, T: RowElement>(
    device: &Device,
    n: usize,
    fill: fn(usize) -> Vec<T>,
    make: Make<F, T>,
    is_right: fn(&[f32], &[f32]) -> bool,
) -> Result<Run<'static>> {
    timed_rows(device, n, fill, make, |call| call, is_right)
}

fn norms<F: Norm, T: RowElement>(
    device: &Device,
    n: usize,
    fill: fn(usize) -> Vec<T>,
    make: Make<F, T>,
    is_right: fn(&[f32], &[f32]) -> bool,
) -> Result<Run<'static>> {
    let weight: &'static Buffer<T> = kept(device.upload(&[T::ONE; COLS])?);
    timed_rows(device, n, fill, make, move |call| call.weight(weight), is_right)
}

fn timed_rows<F: RowFunction, T: RowElement>(
    device: &Device,
    n: usize,
    fill: fn(usize) -> Vec<T>,
    make: Make<F, T>,
    with: impl Fn(Call<'static, Rows<'static, F, T>>) -> Call<'static, Rows<'static, F, T>>,
    is_right: fn(&[f32], &[f32]) -> bool,
) -> Result<Run<'static>> {
    let host = fill(n);
    let x: &'static Buffer<T> = kept(device.upload(&host)?);
    let y = kept(device.alloc_zeroed::<T>(n)?);
    let address: *mut Buffer<T> = y;
    let call = |y: &'static mut Buffer<T>| -> Result<_> {
        let call = with(make(device, matrix(x, n / COLS, COLS)?, matrix_mut(y, n / COLS, COLS)?));
        Ok(if let Some(threads) = setting("THREADS") { call.threads(threads) } else { call })
    };
    call(y)?.run()?;
    // SAFETY: the call before is over, and its borrow with it.
    let y = unsafe { &mut *address };
    let got = device.download(y)?;
    for row in [0, n / COLS / 2, n / COLS - 1] {
        let of = row * COLS..(row + 1) * COLS;
        let is_right = is_right(&floats(&host[of.clone()]), &floats(&got[of]));
        check(is_right, || format!("a wrong row {row} of {n} elements"))?;
    }
    launches(device, call(y)?)
}

fn is_softmax(x: &[f32], y: &[f32]) -> bool {
    let sum: f64 = x.iter().map(|x| f64::from(*x).exp()).sum();
    x.iter().zip(y).all(|(x, y)| (f64::from(*x).exp() / sum / f64::from(*y) - 1.0).abs() < 0.01)
}

fn is_log_softmax(x: &[f32], y: &[f32]) -> bool {
    is_softmax(x, &y.iter().map(|y| y.exp()).collect::<Vec<_>>())
}

/// Of numbers whose mean is near zero, a layer norm is near an RMS norm.
fn is_rms_norm(x: &[f32], y: &[f32]) -> bool {
    let squares: f64 = x.iter().map(|x| f64::from(*x).powi(2)).sum();
    let factor = 1.0 / (squares / x.len() as f64 + 1e-5).sqrt();
    x.iter().zip(y).all(|(x, y)| (f64::from(*x) * factor - f64::from(*y)).abs() < 0.05)
}

/// Bits of an element for an index.
trait Bits: GpuType + PartialEq + 'static {
    fn of(i: usize) -> Self;
}

macro_rules! bits {
    ($($t:ident)+) => {$(
        impl Bits for $t {
            fn of(i: usize) -> Self {
                i.wrapping_mul(0x9e37_79b9_7f4a_7c15) as $t
            }
        }
    )+};
}

bits! { u8 u16 u32 u64 }

fn tuned<T: GpuType>(call: Call<'static, Movement<'static, T>>) -> Call<'static, Movement<'static, T>> {
    let call = if let Some(band) = setting("BAND") { call.band(band) } else { call };
    if let Some(span) = setting("SPAN") { call.span(span) } else { call }
}

/// A movement of an array, whose element `i` must come from element `from(i)`.
fn moved<T: Bits>(
    device: &Device,
    n: usize,
    call: impl Fn(&'static Buffer<T>, &'static mut Buffer<T>) -> Result<Call<'static, Movement<'static, T>>>,
    from: impl Fn(usize) -> usize,
) -> Result<Run<'static>> {
    let host: Vec<T> = (0..n).map(T::of).collect();
    let x: &'static Buffer<T> = kept(device.upload(&host)?);
    let y = kept(device.alloc_zeroed::<T>(n)?);
    let address: *mut Buffer<T> = y;
    call(x, y)?.run()?;
    // SAFETY: the call before is over, and its borrow with it.
    let y = unsafe { &mut *address };
    let got = device.download(y)?;
    let is_right = got.iter().enumerate().step_by(61).all(|(i, y)| *y == host[from(i)]);
    check(is_right, || "an element in a wrong place".to_owned())?;
    launches(device, tuned(call(x, y)?))
}

/// The side of a square matrix of `n` elements.
fn side(n: usize) -> usize {
    n.isqrt()
}

fn turned<T: Bits>(device: &Device, n: usize) -> Result<Run<'static>> {
    let m = side(n);
    let call = |x, y| Ok(transpose(device, matrix(x, m, m)?, matrix_mut(y, m, m)?));
    moved::<T>(device, m * m, call, |i| i % m * m + i / m)
}

fn copied(device: &Device, n: usize) -> Result<Run<'static>> {
    let m = side(n);
    let call = |x, y| Ok(copy(device, matrix(x, m, m)?, matrix_mut(y, m, m)?));
    moved::<u32>(device, m * m, call, |i| i)
}

/// Tokens of heads become heads of tokens: `[16, 2048, n / 2^22, 128]` as `[16, n / 2^22, 2048, 128]`.
fn heads(device: &Device, n: usize) -> Result<Run<'static>> {
    let (tokens, width) = (2048, 128);
    let heads = n / (16 * tokens * width);
    let extents = [16, tokens, heads, width];
    let call = |x, y| Ok(permute(device, x, &extents, &[0, 2, 1, 3], y));
    let from = |i: usize| {
        let (c, token, head, batch) =
            (i % width, i / width % tokens, i / width / tokens % heads, i / width / tokens / heads);
        ((batch * tokens + token) * heads + head) * width + c
    };
    moved::<u16>(device, extents.iter().product(), call, from)
}

/// Matrices of 1024 × 1024.
fn batched(device: &Device, n: usize) -> Result<Run<'static>> {
    let m = 1024;
    let call = |x, y| Ok(permute(device, x, &[n / (m * m), m, m], &[0, 2, 1], y));
    moved::<u32>(device, n / (m * m) * (m * m), call, |i| i / (m * m) * (m * m) + i % m * m + i / m % m)
}
