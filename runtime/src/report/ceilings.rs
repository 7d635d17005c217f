//! The highest rates at which a device moves bytes and computes: listed, given, or measured.

use std::fmt;
use std::time::Duration;

use super::{ReportError, Work};
use crate::error::Result;
use crate::host::device::{Backend, Device};
use crate::metrics::TensorFormat;
use crate::prelude::*;

/// The highest rates of a device.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ceilings {
    /// The device.
    pub name: String,
    /// Bytes a second of global memory.
    pub bandwidth: f64,
    /// Arithmetic peaks: first the one without tensor cores, then those of tensor cores, which list their elements.
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
    /// The elements that tensor cores multiply at this rate; empty for arithmetic without tensor cores.
    pub tensor: &'static [TensorFormat],
}

/// The highest rate at which an amount of work can be computed, regardless of the bytes that it moves.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Roof {
    /// The name of the peak that limits it.
    pub name: String,
    /// Operations a second.
    pub flops: f64,
}

/// Part of a device's name, GB/s, GFLOP/s of f32, its tensor cores, source.
type Row = (&'static str, f64, f64, &'static [TensorPeak], &'static str);

/// Elements that tensor cores multiply at one rate, their name, and GFLOP/s.
type TensorPeak = (&'static [TensorFormat], &'static str, f64);

const F16_OR_BF16: &[TensorFormat] = &[TensorFormat::F16, TensorFormat::F16InF16, TensorFormat::Bf16];

const OF_A100: [TensorPeak; 4] = [
    (F16_OR_BF16, "f16 and bf16 tensor cores", 312_000.0),
    (&[TensorFormat::Tf32], "tf32 tensor cores", 156_000.0),
    (&[TensorFormat::I8], "i8 tensor cores", 624_000.0),
    (&[TensorFormat::F64], "f64 tensor cores", 19_500.0),
];

/// Half of the datasheets' figures "with sparsity"; for `f64` they have figures without sparsity only.
const OF_HOPPER: [TensorPeak; 5] = [
    (F16_OR_BF16, "f16 and bf16 tensor cores", 989_500.0),
    (&[TensorFormat::Tf32], "tf32 tensor cores", 494_500.0),
    (&[TensorFormat::F8], "f8 tensor cores", 1_979_000.0),
    (&[TensorFormat::I8], "i8 tensor cores", 1_979_000.0),
    (&[TensorFormat::F64], "f64 tensor cores", 67_000.0),
];

/// Figures without sparsity.
const TABLE: [Row; 4] = [
    ("A100-SXM4-40GB", 1555.0, 19_500.0, &OF_A100, "NVIDIA A100 datasheet"),
    ("A100-SXM4-80GB", 2039.0, 19_500.0, &OF_A100, "NVIDIA A100 datasheet"),
    ("H100 80GB HBM3", 3350.0, 67_000.0, &OF_HOPPER, "NVIDIA H100 datasheet"),
    ("H200", 4800.0, 67_000.0, &OF_HOPPER, "NVIDIA H200 datasheet"),
];

impl Ceilings {
    /// A device of a bandwidth, in bytes a second.
    pub fn new(name: impl Into<String>, bandwidth: f64) -> Self {
        Self { name: name.into(), bandwidth, peaks: Vec::new(), source: "given".into() }
    }

    /// Adds an arithmetic peak, in FLOP/s.
    pub fn peak(mut self, name: impl Into<String>, flops: f64) -> Self {
        self.peaks.push(Peak { name: name.into(), flops, tensor: &[] });
        self
    }

    /// Adds a peak of tensor cores, in operations a second, on elements of these formats.
    pub fn tensor_peak(
        mut self,
        name: impl Into<String>,
        flops: f64,
        tensor: &'static [TensorFormat],
    ) -> Self {
        self.peaks.push(Peak { name: name.into(), flops, tensor });
        self
    }

    /// The manufacturer's figures for a device of this name; `None` if it is not in our list.
    pub fn known(name: &str) -> Option<Self> {
        let (_, bandwidth, f32_peak, tensor, source) = TABLE.iter().find(|row| name.contains(row.0))?;
        let ceilings = Self::new(name, bandwidth * 1e9).peak("f32", f32_peak * 1e9);
        let ceilings = tensor.iter().fold(ceilings, |ceilings, (formats, name, peak)| {
            ceilings.tensor_peak(*name, peak * 1e9, formats)
        });
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

    /// The peak of arithmetic without tensor cores: the first one without elements.
    fn plain(&self) -> Option<&Peak> {
        self.peaks.iter().find(|peak| peak.tensor.is_empty())
    }

    /// The peaks that limit an amount of work: the peaks of the elements that tensor cores multiply, and the peak without tensor
    /// cores if there is other arithmetic, or no product.
    pub fn peaks_of(&self, work: &Work) -> Vec<&Peak> {
        let plain = self.plain().filter(|_| work.flops > 0.0 || work.operations() == 0.0);
        let used = |peak: &&Peak| peak.tensor.iter().any(|format| work.tensor(*format) > 0.0);
        plain.into_iter().chain(self.peaks.iter().filter(used)).collect()
    }

    /// The highest rate of an amount of work; `None` if no peak is known that limits it.
    ///
    /// Tensor cores run in parallel with the other units, so the slower of both decides; products of several formats share the
    /// tensor cores' time. Products of a format without a peak count as if they took no time.
    pub fn roof(&self, work: &Work) -> Option<Roof> {
        let peaks = self.peaks_of(work);
        if work.operations() == 0.0 {
            return peaks.first().map(|peak| Roof { name: peak.name.clone(), flops: peak.flops });
        }
        let seconds = |peak: &Peak| match peak.tensor {
            [] => work.flops / peak.flops,
            formats => formats.iter().map(|format| work.tensor(*format)).sum::<f64>() / peak.flops,
        };
        let (tensor, plain): (Vec<&Peak>, Vec<&Peak>) =
            peaks.into_iter().partition(|peak| !peak.tensor.is_empty());
        let side = |peaks: Vec<&Peak>| {
            let longest = peaks.iter().copied().max_by(|a, b| seconds(a).total_cmp(&seconds(b)))?;
            Some((peaks.iter().map(|peak| seconds(peak)).sum::<f64>(), longest.name.clone()))
        };
        let sides = [side(tensor), side(plain)].into_iter().flatten();
        let (time, name) = sides.max_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(Roof { name, flops: work.operations() / time })
    }

    /// The shortest time, in seconds, in which the ceilings allow an amount of work.
    pub(super) fn least_seconds(&self, work: &Work) -> f64 {
        let computing = self.roof(work).map_or(0.0, |roof| work.operations() / roof.flops);
        (work.bytes / self.bandwidth).max(computing)
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
