//! How fast a device moves bytes and computes: listed, given, or measured.

use std::fmt;
use std::time::Duration;

use super::ReportError;
use crate::error::Result;
use crate::host::device::{Backend, Device};
use crate::prelude::*;

/// The highest rates of a device.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ceilings {
    /// The device.
    pub name: String,
    /// Bytes a second of global memory.
    pub bandwidth: f64,
    /// Arithmetic peaks; the first is a kernel's roof.
    pub peaks: Vec<Peak>,
    /// The source of the figures.
    pub source: String,
}

/// The highest rate of one kind of arithmetic.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Peak {
    /// The kind: `f32`.
    pub name: String,
    /// Operations a second; a fused multiply-add is two.
    pub flops: f64,
}

/// Part of a device's name, GB/s, GFLOP/s of f32 and of the tensor cores without sparsity, source.
type Row = (&'static str, f64, f64, (&'static str, f64), &'static str);

const TABLE: [Row; 4] = [
    ("A100-SXM4-40GB", 1555.0, 19_500.0, ("tf32 tensor cores", 156_000.0), "NVIDIA A100 datasheet"),
    ("A100-SXM4-80GB", 2039.0, 19_500.0, ("tf32 tensor cores", 156_000.0), "NVIDIA A100 datasheet"),
    ("H100 80GB HBM3", 3350.0, 67_000.0, ("bf16 tensor cores", 989_500.0), "NVIDIA H100 datasheet"),
    ("H200", 4800.0, 67_000.0, ("bf16 tensor cores", 989_500.0), "NVIDIA H200 datasheet"),
];

impl Ceilings {
    /// A device of a bandwidth, in bytes a second.
    pub fn new(name: impl Into<String>, bandwidth: f64) -> Self {
        Self { name: name.into(), bandwidth, peaks: Vec::new(), source: "given".into() }
    }

    /// Adds an arithmetic peak, in FLOP/s.
    pub fn peak(mut self, name: impl Into<String>, flops: f64) -> Self {
        self.peaks.push(Peak { name: name.into(), flops });
        self
    }

    /// The maker's figures for a device of this name; `None` if it is not in our list.
    pub fn known(name: &str) -> Option<Self> {
        let (_, bandwidth, f32_peak, (tensor, peak), source) =
            TABLE.iter().find(|row| name.contains(row.0))?;
        let ceilings = Self::new(name, bandwidth * 1e9).peak("f32", f32_peak * 1e9).peak(*tensor, peak * 1e9);
        Some(Self { source: (*source).to_owned(), ..ceilings })
    }

    /// The ceilings of a GPU: listed, or measured if it is not in the list.
    ///
    /// # Errors
    /// The errors of [`Ceilings::measure`].
    pub fn of(device: &Device) -> Result<Self> {
        Self::known(device.name()).map_or_else(|| Self::measure(device), Ok)
    }

    /// Measures a GPU: a copy of 256 MiB of memory, and chains of fused multiply-adds on `f32`.
    ///
    /// Takes 512 MiB and some tens of milliseconds.
    ///
    /// # Errors
    /// [`ReportError::Simulator`] on the simulator; out of memory, or what compiling refuses.
    pub fn measure(device: &Device) -> Result<Self> {
        if device.is_simulator() {
            return Err(ReportError::Simulator.into());
        }
        let ceilings = Self::new(device.name(), bandwidth(device)?).peak("f32", f32_peak(device)?);
        Ok(Self { source: "measured".into(), ..ceilings })
    }

    /// The intensity above which the first peak is the lower roof, in FLOP/B.
    pub fn ridge(&self) -> Option<f64> {
        self.peaks.first().map(|peak| peak.flops / self.bandwidth)
    }
}

impl fmt::Display for Ceilings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}: {:.0} GB/s", self.name, self.source, self.bandwidth / 1e9)?;
        for peak in &self.peaks {
            let ridge = peak.flops / self.bandwidth;
            write!(f, "; {} {:.0} GFLOP/s, from {ridge:.1} FLOP/B on", peak.name, peak.flops / 1e9)?;
        }
        Ok(())
    }
}

/// Bytes that are copied.
const BYTES: usize = 256 << 20;
/// Values that each thread multiplies and adds independently.
const CHAINS: usize = 8;
/// Steps of each chain.
const STEPS: u32 = 4096;

#[gpu_kernel]
fn copy_all(from: &[F32x4], to: &mut [F32x4]) {
    let i = global_id();
    if i < to.len() && i < from.len() {
        to[i] = from[i];
    }
}

#[gpu_kernel]
fn multiply_add(a: f32, b: f32, steps: u32, out: &mut [f32]) {
    let i = global_id();
    let mut x = [0.0f32; CHAINS];
    #[unroll]
    for k in 0..CHAINS {
        x[k] = (thread_idx().x + k as u32) as f32;
    }
    for _ in 0..steps {
        #[unroll]
        for k in 0..CHAINS {
            x[k] = x[k].mul_add(a, b);
        }
    }
    let mut sum = 0.0f32;
    #[unroll]
    for k in 0..CHAINS {
        sum += x[k];
    }
    if i < out.len() {
        out[i] = sum;
    }
}

fn bandwidth(device: &Device) -> Result<f64> {
    let count = BYTES / size_of::<F32x4>();
    let from = device.alloc_zeroed::<F32x4>(count)?;
    let mut to = device.alloc_zeroed::<F32x4>(count)?;
    let time = fastest(device, || copy_all(&from, &mut to).over(count).launch(device))?;
    Ok(2.0 * BYTES as f64 / time.as_secs_f64())
}

fn f32_peak(device: &Device) -> Result<f64> {
    let limits = device.limits();
    // Several waves of full multiprocessors.
    let threads = (4 * limits.multiprocessors * limits.threads_per_multiprocessor) as usize;
    let mut out = device.alloc_zeroed::<f32>(threads)?;
    let run = || multiply_add(0.5, 1.0, STEPS, &mut out).over(threads).launch(device);
    let time = fastest(device, run)?;
    let flops = 2.0 * CHAINS as f64 * f64::from(STEPS) * threads as f64;
    Ok(flops / time.as_secs_f64())
}

/// The shortest of some runs, the first of which warms up.
fn fastest(device: &Device, mut run: impl FnMut() -> Result<()>) -> Result<Duration> {
    let Backend::Gpu(gpu) = device.backend() else { return Err(ReportError::Simulator.into()) };
    run()?;
    let mut shortest = Duration::MAX;
    for _ in 0..10 {
        shortest = shortest.min(gpu.timed(None, &mut run)?);
    }
    device.synchronize()?;
    Ok(shortest.max(Duration::from_nanos(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_that_measure_are_right_on_the_simulator() {
        let device = Device::simulator();
        let from: Vec<F32x4> = (0..100).map(|i| F32x4::splat(i as f32)).collect();
        let from = device.upload(&from).expect("memory");
        let mut to = device.alloc_zeroed::<F32x4>(100).expect("memory");
        copy_all(&from, &mut to).over(100).launch(&device).expect("runs");
        assert_eq!(device.download(&to).expect("memory"), device.download(&from).expect("memory"));
        let mut out = device.alloc_zeroed::<f32>(64).expect("memory");
        multiply_add(0.5, 1.0, 3, &mut out).over(64).block(64).launch(&device).expect("runs");
        let chain = |x: u32| (0..3).fold(x as f32, |x, _| x * 0.5 + 1.0);
        let expected: Vec<f32> = (0..64).map(|t| (0..8).map(|k| chain(t + k)).sum()).collect();
        assert_eq!(device.download(&out).expect("memory"), expected);
    }

    #[test]
    fn the_simulator_has_no_ceilings_and_unknown_devices_are_not_guessed() {
        let refused = Ceilings::measure(&Device::simulator()).expect_err("no ceilings").to_string();
        assert!(refused.contains("Ceilings::known"), "{refused}");
        assert_eq!(Ceilings::known("NVIDIA Something 1"), None);
        assert_eq!(Ceilings::known("NVIDIA H200").map(|h200| h200.bandwidth), Some(4.8e12));
    }
}
