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

use warpsmith::codegen::Options;
use warpsmith::nvrtc::{self, Arch, CompileOptions};
use warpsmith::prelude::*;
use warpsmith::{Error, driver::DriverError};

/// Compiles a kernel, then runs `test` on the simulator, and on a GPU if there is one.
fn everywhere<K: Kernel>(comptime: &K::Comptime, test: impl Fn(&Device)) {
    compiles::<K>(comptime);
    test(&Device::simulator());
    match Device::gpu(0) {
        Ok(gpu) => test(&gpu),
        Err(Error::Driver(missing @ (DriverError::Missing | DriverError::NoDevice { .. }))) => {
            println!("{} on the simulator only: {missing}", K::NAME);
        }
        Err(error) => panic!("the GPU does not open: {error}"),
    }
}

/// Compiles the CUDA of a kernel, checked and unchecked, without a warning.
fn compiles<K: Kernel>(comptime: &K::Comptime) {
    let present = nvrtc::version();
    for checks in [false, true] {
        let options = Options { checks, line_directives: false };
        let source = K::print(comptime, &options).unwrap_or_else(|e| panic!("{}: {e}", K::NAME));
        if let Err(missing) = &present {
            assert!(std::env::var_os("WARPSMITH_REQUIRE_NVRTC").is_none(), "{missing}");
            continue;
        }
        let arch = Arch { major: 9, minor: 0, specific: true };
        match nvrtc::compile(&source.code, K::NAME, &CompileOptions { arch, fmad: true, line_info: false }) {
            Ok(cubin) if cubin.log.is_empty() => {}
            Ok(cubin) => panic!("{}\n{}", cubin.log, source.code),
            Err(error) => panic!("{error}\n{}", source.code),
        }
    }
}

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

/// Numbers from -1 to 1 that look random.
fn noise(n: usize, seed: u32) -> Vec<f32> {
    let mut state = seed.wrapping_mul(2_654_435_769) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as f32 / u32::MAX as f32 * 2.0 - 1.0
    };
    (0..n).map(|_| next()).collect()
}

/// Integers below a limit that look random.
fn integers(n: usize, limit: u32, seed: u32) -> Vec<u32> {
    noise(n, seed).iter().map(|v| (((v + 1.0) * 0.5 * limit as f32) as u32).min(limit - 1)).collect()
}
