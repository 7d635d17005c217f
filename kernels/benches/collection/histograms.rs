//! Histograms that are timed: numbers of bins, and values that are uniform, all equal, or as unequal as words of a language; floats between
//! edges, and weights.

use warpsmith::prelude::*;
use warpsmith_kernels::histogram::{histogram, weighted_histogram};

use crate::function::Work::Bytes;
use crate::function::{Function, Result, Run, check, hashed, kept, launches};
use crate::inputs::unit;

/// How values are distributed over the bins; the peer has the same.
type Values = fn(f32, usize) -> i32;

/// Sizes are numbers of values.
pub const FUNCTIONS: &[Function] = &[
    Function::new("histogram_256", Bytes(4.0), |d, n| counted(d, n, 256, uniform)),
    Function::new("histogram_2048", Bytes(4.0), |d, n| counted(d, n, 2048, uniform)),
    Function::new("histogram_16384", Bytes(4.0), |d, n| counted(d, n, 16384, uniform)),
    Function::new("histogram_65536", Bytes(4.0), |d, n| counted(d, n, 65536, uniform)),
    Function::new("histogram_1048576", Bytes(4.0), |d, n| counted(d, n, 1048576, uniform)),
    Function::new("histogram_256_equal", Bytes(4.0), |d, n| counted(d, n, 256, equal)),
    Function::new("histogram_256_zipf", Bytes(4.0), |d, n| counted(d, n, 256, zipf)),
    Function::new("histogram_2048_equal", Bytes(4.0), |d, n| counted(d, n, 2048, equal)),
    Function::new("histogram_2048_zipf", Bytes(4.0), |d, n| counted(d, n, 2048, zipf)),
    Function::new("histogram_65536_equal", Bytes(4.0), |d, n| counted(d, n, 65536, equal)),
    Function::new("histogram_65536_zipf", Bytes(4.0), |d, n| counted(d, n, 65536, zipf)),
    Function::new("histogram_edges_256", Bytes(4.0), |d, n| between(d, n, 256)),
    Function::new("histogram_edges_2048", Bytes(4.0), |d, n| between(d, n, 2048)),
    Function::new("weighted_histogram_256", Bytes(8.0), |d, n| weighted(d, n, 256)),
    Function::new("weighted_histogram_2048", Bytes(8.0), |d, n| weighted(d, n, 2048)),
];

fn uniform(x: f32, bins: usize) -> i32 {
    ((x + 1.0) * 0.5 * bins as f32) as i32
}

fn equal(_: f32, bins: usize) -> i32 {
    bins as i32 / 3
}

/// Bin `i` has about `1 / i` of the values of the first.
fn zipf(x: f32, bins: usize) -> i32 {
    ((x + 1.0) * 0.5 * (bins as f32).ln()).exp() as i32 - 1
}

fn counted(device: &Device, n: usize, bins: usize, values: Values) -> Result<Run<'static>> {
    let host: Vec<i32> = (0..n).map(|i| values(hashed(i), bins)).collect();
    let mut want = vec![0u32; bins];
    for bin in host.iter().filter(|bin| (0..bins as i32).contains(bin)) {
        want[*bin as usize] += 1;
    }
    let (x, y) = (kept(device.upload(&host)?), kept(device.alloc_zeroed::<u32>(bins)?));
    histogram(device, &*x, &mut *y).run()?;
    check(device.download(y)? == want, || format!("a wrong histogram of {n} elements"))?;
    launches(device, histogram(device, &*x, y))
}

/// Edges of bins that become wider, from -1 to 1; the peer has the same.
fn edges(bins: usize) -> Vec<f32> {
    (0..=bins).map(|i| (i * i) as f32 / (bins * bins) as f32 * 2.0 - 1.0).collect()
}

/// The bin of each value between edges.
fn bins_of(n: usize, edges: &[f32]) -> impl Iterator<Item = (usize, usize)> {
    (0..n).map(|i| (i, edges.partition_point(|edge| *edge <= hashed(i)))).map(|(i, behind)| (i, behind - 1))
}

fn between(device: &Device, n: usize, bins: usize) -> Result<Run<'static>> {
    let host = edges(bins);
    let mut want = vec![0u32; bins];
    for (_, bin) in bins_of(n, &host) {
        want[bin] += 1;
    }
    let (x, edges) = (kept(device.upload(&unit(n))?), kept(device.upload(&host)?));
    let y = kept(device.alloc_zeroed::<u32>(bins)?);
    histogram(device, &*x, &mut *y).edges(&*edges).run()?;
    check(device.download(y)? == want, || format!("a wrong histogram of {n} elements"))?;
    launches(device, histogram(device, &*x, y).edges(&*edges))
}

/// Weights are floats that are added exactly.
fn weighted(device: &Device, n: usize, bins: usize) -> Result<Run<'static>> {
    let values: Vec<i32> = (0..n).map(|i| uniform(hashed(i), bins)).collect();
    let weights: Vec<f32> = (0..n).map(|i| (i % 2) as f32).collect();
    let mut want = vec![0f32; bins];
    for (bin, weight) in values.iter().zip(&weights) {
        want[*bin as usize] += weight;
    }
    let (x, weights) = (kept(device.upload(&values)?), kept(device.upload(&weights)?));
    let y = kept(device.alloc_zeroed::<f32>(bins)?);
    weighted_histogram(device, &*x, &*weights, &mut *y).run()?;
    check(device.download(y)? == want, || format!("a wrong histogram of {n} weights"))?;
    launches(device, weighted_histogram(device, &*x, &*weights, y))
}
