//! Products of groups of rows: the layers of experts in `grouped.txt`, with rows that are shared unevenly.

use warpsmith::prelude::*;
use warpsmith_kernels::argument::{matrix, matrix_mut};
use warpsmith_kernels::products::grouped_gemm;

use super::function::{Result, Run, check, kept, launches};
use super::{BF16, repeated};

const LAYERS: &str = include_str!("grouped.txt");

/// Experts, columns of the result, and what is added up.
fn layer(name: &str) -> Result<[usize; 3]> {
    let found = LAYERS.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    let numbers = found.into_iter().flat_map(|line| line.split(' ').filter_map(|word| word.parse().ok()));
    let extents = numbers.collect::<Vec<usize>>().try_into();
    extents.map_err(|_| format!("grouped.txt has no three extents of {name}").into())
}

/// Operations of a layer with a number of rows.
pub fn operations(name: &str, rows: usize) -> f64 {
    layer(name).map_or(f64::NAN, |[_, n, k]| 2.0 * rows as f64 * n as f64 * k as f64)
}

/// The first row of each group, and the one behind the last; the peer has the same.
fn offsets(groups: usize, rows: usize) -> Vec<u32> {
    let share = |g: usize| g * 7919 % 13 + 4;
    let all: usize = (0..groups).map(share).sum();
    let before = (0..groups).scan(0, |before, g| {
        *before += share(g);
        Some((*before * rows / all) as u32)
    });
    [0].into_iter().chain(before).collect()
}

/// A layer of experts with a number of rows.
pub fn product(device: &Device, name: &str, rows: usize) -> Result<Run<'static>> {
    let [groups, n, k] = layer(name)?;
    let offsets = offsets(groups, rows);
    let (x, w) = (repeated(rows * k, 0, BF16.of), repeated(groups * n * k, 77, BF16.of));
    let (a, b) = (&*kept(device.upload(&x)?), &*kept(device.upload(&w)?));
    let places = &*kept(device.upload(&offsets)?);
    let c: *mut Buffer<bf16> = kept(device.alloc_zeroed(rows * n)?);
    let call = || -> Result<_> {
        // SAFETY: the buffer is never freed, and each call ends before the next use of it.
        let to = matrix_mut(unsafe { &mut *c }, rows, n)?;
        Ok(grouped_gemm(device, matrix(a, rows, k)?, matrix(b, groups * n, k)?, places, to))
    };
    call()?.run()?;
    // SAFETY: as above.
    let all = device.download(unsafe { &*c })?;
    for i in 0..400 {
        let (row, col) = (i * 7919 % rows, i * 104_729 % n);
        let group = offsets.partition_point(|from| *from as usize <= row) - 1;
        let term = |e: usize| x[row * k + e].to_f64() * w[(group * n + col) * k + e].to_f64();
        let (want, size) = (0..k).map(term).fold((0.0, 0.0), |(sum, size), x: f64| (sum + x, size + x.abs()));
        let got = all[row * n + col].to_f64();
        let is_right = (got - want).abs() < 0.01 * want.abs() + 0.0001 * size + 0.01;
        check(is_right, || format!("({row}, {col}): {got} instead of {want}"))?;
    }
    launches(device, call()?)
}
