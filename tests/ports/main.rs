//! Kernels of public CUDA collections, as one would first write them in Rust, a folder a collection: each is
//! compiled, runs on the simulator and, where there is one, on a GPU, and is compared with the host.

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

use harness::{compiles, everywhere, noise, written};
use warpsmith::prelude::*;

/// A buffer with a copy of `x`.
fn up<T: GpuType>(device: &Device, x: &[T]) -> Buffer<T> {
    device.upload(x).expect("memory")
}

/// What is in a buffer.
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
