//! Kernels to call as functions: reductions, scans, selections, sorts, row-wise functions, transposes, matrix products, sparse
//! products, attention, convolutions, Fourier transforms, histograms, stencils, images and random numbers.
//!
//! ```
//! use warpsmith::prelude::*;
//! use warpsmith_kernels::reduction::{Sum, reduce};
//!
//! # fn main() -> Result<(), warpsmith_kernels::KernelError> {
//! let gpu = Device::open()?; // the first CUDA GPU; without one, the simulator
//! let x = gpu.upload(&[1.0f32; 1000])?;
//! let mut y = gpu.alloc_zeroed::<f32>(1)?;
//! reduce::<Sum<f32>>(&gpu, &x, &mut y).run()?;
//! assert_eq!(gpu.download(&y)?, [1000.0]);
//! # Ok(()) }
//! ```
//!
//! Every function returns a [`Call`], which does nothing until [`run`](Call::run). [`prepare`](Call::prepare) compiles, checks and
//! allocates once, for many launches. [`plan`](Call::plan) returns which kernel would run, with which grid and how much memory,
//! and why.
//!
//! Arguments are the same as for kernels: `&Buffer<T>`, parts of buffers, and cudarc's slices and views. Every length and
//! alignment is supported; memory aligned to 16 bytes is fastest.

#![deny(missing_docs)]

pub mod argument;
pub mod attention;
mod border;
mod call;
pub mod comparable;
pub mod convolution;
mod error;
pub mod fft;
pub mod histogram;
pub mod images;
pub mod movement;
pub mod number;
pub mod pack;
pub mod products;
pub mod random;
pub mod reduction;
pub mod rows;
pub mod scan;
pub mod segments;
pub mod selection;
pub mod sorting;
pub mod sparse;

/// The pages whose examples call this crate's functions: they are its doctests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../README.md")]
    mod readme {}
    #[doc = include_str!("../../docs/kernels.md")]
    mod chapter {}
}

pub use call::{Call, Family, Plan, Prepared, Ready, Step, Target};
pub use error::KernelError;
