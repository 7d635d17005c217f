//! Kernels of public CUDA collections, ported as one would first write them in Rust: each runs on the
//! simulator, is compiled by NVRTC where that is present, and is compared with a reference on the host.

// The kernels keep the shape of their originals.
#![allow(clippy::style, clippy::complexity, clippy::erasing_op, clippy::excessive_precision)]

mod llmc_attention;
mod llmc_layers;
mod llmc_norm;
mod llmc_train;
mod samples_finance;
mod samples_reduction;
mod samples_sorting;
mod samples_stencils;

use harness::{everywhere, noise, written};

/// Whether two slices agree up to a relative or absolute `tolerance`.
#[track_caller]
fn close(got: &[f32], want: &[f32], tolerance: f32) {
    assert_eq!(got.len(), want.len());
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        assert!((g - w).abs() <= tolerance * w.abs().max(1.0), "element {i}: {g}, not {w}");
    }
}
