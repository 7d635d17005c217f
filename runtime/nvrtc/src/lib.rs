//! CUDA C++ to machine code, and the cache that keeps it.
//!
//! CUDA source with the name of its kernel and [`CompileOptions`](nvrtc::CompileOptions) comes in; a [`Cubin`](nvrtc::Cubin)
//! goes out, or NVRTC's error. [`nvrtc`] compiles and links, [`cache`] keeps cubins in memory, in bundles and on disk, keyed by
//! everything that affects their bytes.
//!
//! This crate is independent of kernels, the IR and launches, and opens no GPU: it needs only source text. NVRTC is loaded when
//! it is first needed, and a machine without it gets an error that says what to install. Use it through `warpsmith`, which
//! re-exports all of it; its own API may change in any version.

#![deny(missing_docs)]

pub mod cache;
pub mod nvrtc;
