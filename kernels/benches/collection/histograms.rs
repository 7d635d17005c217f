//! Histograms that are timed: numbers of bins, and values that are uniform, all equal, or as unequal as words of a language.

use warpsmith::prelude::*;
use warpsmith_kernels::KernelError;
use warpsmith_kernels::histogram::histogram;

use crate::functions::{Function, hashed, kept, repeated};
use crate::turns::Run;

/// How values are distributed over the bins; the peer has the same.
type Values = fn(f32, usize) -> i32;

macro_rules! functions {
    ($($name:literal $bins:literal $values:ident;)+) => {
        pub const FUNCTIONS: &[Function] = &[$(Function {
            name: $name,
            bytes: |n| 4.0 * n as f64,
            make: |device, n| make(device, n, $bins, $values),
        }),+];
    };
}

functions! {
    "histogram_256" 256 uniform;
    "histogram_2048" 2048 uniform;
    "histogram_16384" 16384 uniform;
    "histogram_65536" 65536 uniform;
    "histogram_1048576" 1048576 uniform;
    "histogram_256_equal" 256 equal;
    "histogram_256_zipf" 256 zipf;
    "histogram_2048_equal" 2048 equal;
    "histogram_2048_zipf" 2048 zipf;
    "histogram_65536_equal" 65536 equal;
    "histogram_65536_zipf" 65536 zipf;
}

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

fn make(device: &Device, n: usize, bins: usize, values: Values) -> Result<Run<'static>, KernelError> {
    let host: Vec<i32> = (0..n).map(|i| values(hashed(i), bins)).collect();
    let mut want = vec![0u32; bins];
    for bin in host.iter().filter(|bin| (0..bins as i32).contains(bin)) {
        want[*bin as usize] += 1;
    }
    let (x, y) = (kept(device.upload(&host)?), kept(device.alloc_zeroed::<u32>(bins)?));
    histogram(device, &*x, &mut *y).run()?;
    assert!(device.download(y)? == want, "a wrong histogram of {n} elements");
    repeated(device, histogram(device, &*x, y))
}
