//! CUDA C++ to machine code, and the cache that keeps it.
//!
//! In comes a text with the name of its kernel and [`CompileOptions`](nvrtc::CompileOptions); out goes a
//! [`Cubin`](nvrtc::Cubin), or NVRTC's error. [`nvrtc`] compiles and links, [`cache`] keeps cubins in memory, in bundles and on
//! disk, by everything that decides their bytes.
//!
//! This crate knows no kernel, no IR and no launch, and opens no GPU: text is all that it needs. NVRTC is loaded when it is
//! first needed, and a machine without it gets an error that says what to install. Use it through `warpsmith`, which has
//! all of it under the same paths; on its own it promises nothing between versions.

#![deny(missing_docs)]

pub mod cache;
pub mod nvrtc;
