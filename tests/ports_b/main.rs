//! Kernels of public CUDA collections (Rodinia, HeCBench, PolyBench), as a Rust programmer writes them:
//! each is compiled, runs on the simulator and, where there is one, on a GPU, and is compared with the host.

// The kernels keep the shape of their originals.
#![allow(clippy::style, clippy::complexity, clippy::never_loop)]

mod hecbench_bytes;
mod hecbench_numbers;
mod hecbench_random;
mod hecbench_solvers;
mod hecbench_text;
mod polybench;
mod rodinia_cells;
mod rodinia_graphs;
mod rodinia_grids;
mod rodinia_matrices;
mod rodinia_physics;

use harness::{compiles, everywhere, noise};
use warpsmith::prelude::*;

/// A buffer with a copy of `x`.
fn up<T: GpuType>(device: &Device, x: &[T]) -> Buffer<T> {
    device.upload(x).expect("memory")
}

/// What is in a buffer.
fn down<T: GpuType>(device: &Device, x: &Buffer<T>) -> Vec<T> {
    device.download(x).expect("memory")
}

/// Asserts that numbers agree to a relative error.
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
