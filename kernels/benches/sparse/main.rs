//! Times products of sparse matrices on a GPU, in bursts and sustained.
//!
//! Checks results, then prints `ours NAME_SIZE_MODE VALUE TFLOP/s`: two operations for each non-zero and column of the dense factor, by the
//! time of a prepared call. Arguments are numbers of rows, default 2^20, and names. With `serve`, `kernels/benches/sparse.py` lets it take
//! turns with cuSPARSE.

#[path = "../function.rs"]
mod function;

mod matrices;

use function::Work::Operations;
use function::{Function, Result, Run, check, hashed, kept, launches, time};
use matrices::{BANDED, BLOCK, Host, LAPLACIAN, POWER, Shape, UNIFORM};
use warpsmith::prelude::*;
use warpsmith_kernels::argument::{matrix, matrix_mut};
use warpsmith_kernels::number::Number;
use warpsmith_kernels::sparse::{Csr, csr, spmm, spmv};

/// Columns of the dense factor.
const COLS: usize = 64;

macro_rules! functions {
    ($($shape:ident $vector:literal $doubles:literal $matrix:literal;)+) => {[$(
        Function::new($vector, Operations(|n| 2.0 * $shape.nonzeros(n) as f64), |d, n| vector::<f32>(d, n, &$shape, |x| x)),
        Function::new($doubles, Operations(|n| 2.0 * $shape.nonzeros(n) as f64), |d, n| vector::<f64>(d, n, &$shape, f64::from)),
        Function::new($matrix, Operations(|n| 2.0 * ($shape.nonzeros(n) * COLS) as f64), |d, n| dense(d, n, &$shape)),
    )+]};
}

const FUNCTIONS: [Function; 15] = functions! {
    BANDED "spmv_f32_banded" "spmv_f64_banded" "spmm_f32_banded";
    UNIFORM "spmv_f32_uniform" "spmv_f64_uniform" "spmm_f32_uniform";
    POWER "spmv_f32_power" "spmv_f64_power" "spmm_f32_power";
    BLOCK "spmv_f32_block" "spmv_f64_block" "spmm_f32_block";
    LAPLACIAN "spmv_f32_laplacian" "spmv_f64_laplacian" "spmm_f32_laplacian";
};

fn main() -> Result<()> {
    time(&FUNCTIONS.each_ref(), |_| true, &[1 << 20])
}

/// The matrix in device memory.
fn uploaded<T: Number>(device: &Device, host: &Host, of: fn(f32) -> T) -> Result<Csr<'static, T>> {
    let values: Vec<T> = (0..host.columns.len()).map(|i| of(hashed(i))).collect();
    let offsets: &'static Buffer<u32> = kept(device.upload(&host.offsets)?);
    let columns: &'static Buffer<u32> = kept(device.upload(&host.columns)?);
    let values: &'static Buffer<T> = kept(device.upload(&values)?);
    Ok(csr(host.rows, host.rows, offsets, columns, values)?)
}

fn vector<T: Number>(device: &Device, n: usize, shape: &Shape, of: fn(f32) -> T) -> Result<Run<'static>> {
    let host = shape.matrix(n);
    let a = uploaded(device, &host, of)?;
    let x: &'static Buffer<T> = kept(device.upload(&(0..n).map(|i| of(hashed(i + 7))).collect::<Vec<T>>())?);
    let y = kept(device.alloc_zeroed::<T>(n)?);
    spmv(device, a.clone(), x, &mut *y).run()?;
    let got = device.download(y)?;
    for row in sampled(n) {
        is_close(&host, row, got[row].cast::<f64>(), host.row_times(row, |c| hashed(c + 7)))?;
    }
    launches(device, spmv(device, a, x, y))
}

fn dense(device: &Device, n: usize, shape: &Shape) -> Result<Run<'static>> {
    let host = shape.matrix(n);
    let a = uploaded(device, &host, |x| x)?;
    let numbers: Vec<f32> = (0..n * COLS).map(|i| hashed(i + 7)).collect();
    let b: &'static Buffer<f32> = kept(device.upload(&numbers)?);
    let c = kept(device.alloc_zeroed::<f32>(n * COLS)?);
    spmm(device, a.clone(), matrix(b, n, COLS)?, matrix_mut(&mut *c, n, COLS)?).run()?;
    let got = device.download(c)?;
    for row in sampled(n) {
        let at = row * COLS + row % COLS;
        is_close(&host, row, f64::from(got[at]), host.row_times(row, |k| hashed(k * COLS + row % COLS + 7)))?;
    }
    launches(device, spmm(device, a, matrix(b, n, COLS)?, matrix_mut(c, n, COLS)?))
}

/// Rows that are checked: some of all, and those in the middle.
fn sampled(n: usize) -> impl Iterator<Item = usize> {
    (0..n).step_by(n / 997 + 1).chain((n / 2).saturating_sub(2)..(n / 2 + 20).min(n))
}

fn is_close(host: &Host, row: usize, got: f64, want: f64) -> Result<()> {
    let length = f64::from(host.offsets[row + 1] - host.offsets[row]);
    let error = (got - want).abs();
    check(error <= 1e-5 * length.max(1.0).sqrt(), || format!("row {row} is {got} instead of {want}"))
}
