//! Histograms that are timed: numbers of bins, and values that are uniform, all equal, or as unequal as words of a language.

use warpsmith::prelude::*;
use warpsmith_kernels::histogram::histogram;

use crate::function::Work::Bytes;
use crate::function::{Function, Result, Run, check, hashed, kept, launches};

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
