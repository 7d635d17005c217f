//! The language, item by item: each kernel runs on the simulator, is compiled by NVRTC where that is
//! present, runs on a GPU where there is one, and is compared with the same computation on the host.

// Kernels exercise the construct that they are a test of, also where Rust has a shorter one.
#![allow(
    clippy::or_then_unwrap,
    clippy::redundant_closure,
    clippy::unnecessary_literal_unwrap,
    clippy::unnecessary_map_on_constructor,
    clippy::needless_range_loop
)]
#![allow(clippy::manual_is_multiple_of)]

mod abstraction;
mod atomics;
mod bytes;
mod closures;
mod enums;
mod escape;
mod everyday;
mod failures;
mod globals;
mod iteration;
mod memory;
mod operators;
mod options;
mod patterns;
mod reuse;
mod shared_memory;
mod slices;
mod tables;
mod talk;
mod threads;
mod tiles;
mod vectors;
mod views;
mod warps;

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
        let options = CompileOptions {
            arch: Arch { major: 9, minor: 0, specific: true },
            fmad: true,
            line_info: false,
        };
        match nvrtc::compile(&source.code, K::NAME, &options) {
            Ok(cubin) if cubin.log.is_empty() => {}
            Ok(cubin) => panic!("{}\n{}", cubin.log, source.code),
            Err(error) => panic!("{error}\n{}", source.code),
        }
    }
}

/// Runs a kernel over `n` threads of one block shape, on elements that are `fill` before; what it wrote.
fn written<T: GpuType>(
    device: &Device,
    (len, fill): (usize, T),
    launch: impl FnOnce(&mut Buffer<T>) -> warpsmith::Result<()>,
) -> Vec<T> {
    let mut out = device.upload(&vec![fill; len]).expect("memory");
    launch(&mut out).expect("the kernel runs");
    device.download(&out).expect("memory")
}
