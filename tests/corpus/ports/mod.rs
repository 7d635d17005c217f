//! Kernels of public CUDA collections, as one would first write them in Rust, a folder a collection.
//!
//! Each file has its kernels, what they are compared with, and the cases of both. Other than the corpus's own, their checks assert:
//! an assertion that fails is the error of its case.

// The kernels keep the shape of their originals.
#![allow(
    clippy::style,
    clippy::complexity,
    clippy::erasing_op,
    clippy::excessive_precision,
    clippy::never_loop
)]

mod hecbench;
mod llmc;
mod polybench;
mod rodinia;
mod samples;

use std::panic::{AssertUnwindSafe, catch_unwind};

use harness::noise;
use warpsmith::prelude::*;

use crate::cases::Case;

/// A case of a kernel: its name, the kernel, a function that runs and asserts, and comptime values if it has any.
macro_rules! port {
    ($name:literal, $kernel:ty, $check:expr) => {
        port!($name, $kernel, $check, &())
    };
    ($name:literal, $kernel:ty, $check:expr, $comptime:expr) => {
        Case {
            name: $name,
            print: |options| <$kernel as warpsmith::Kernel>::print($comptime, options),
            module: || <$kernel as warpsmith::Kernel>::module($comptime),
            check: |device, _| crate::ports::outcome($check, device),
        }
    };
}
use port;

/// Every case.
pub fn cases() -> Vec<Case> {
    [hecbench::cases(), llmc::cases(), polybench::cases(), rodinia::cases(), samples::cases()].concat()
}

/// The outcome of a check that asserts: the message of the assertion that fails.
fn outcome(check: fn(&Device), device: &Device) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(|| check(device))).map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_default()
    })
}

/// A buffer with a copy of `x`.
fn up<T: GpuType>(device: &Device, x: &[T]) -> Buffer<T> {
    device.upload(x).expect("memory")
}

/// The contents of a buffer.
fn down<T: GpuType>(device: &Device, x: &Buffer<T>) -> Vec<T> {
    device.download(x).expect("memory")
}

/// Asserts that numbers agree to a relative error, or an absolute one below 1.
#[track_caller]
fn assert_close(got: &[f32], want: &[f32], tolerance: f32) {
    assert_eq!(got.len(), want.len());
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        assert!((g - w).abs() <= tolerance * w.abs().max(1.0), "{g} is not {w} at {i}");
    }
}

/// Integers below a limit that look random.
fn integers(n: usize, limit: u32, seed: u32) -> Vec<u32> {
    noise(n, seed).iter().map(|v| (((v + 1.0) * 0.5 * limit as f32) as u32).min(limit - 1)).collect()
}
