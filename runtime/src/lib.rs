//! Write CUDA kernels inline, as Rust functions.
//!
//! ```
//! use warpsmith::prelude::*;
//!
//! /// y[i] = a * x[i] + y[i]
//! #[gpu_kernel]
//! pub fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
//!     let i = global_id();
//!     if i < y.len() {
//!         y[i] = a * x[i] + y[i];
//!     }
//! }
//!
//! fn main() -> warpsmith::Result<()> {
//!     let gpu = Device::open()?; // the first CUDA GPU; without one, the CPU simulator
//!     let x = gpu.upload(&[1.0f32, 2.0, 3.0])?;
//!     let mut y = gpu.upload(&[10.0f32, 20.0, 30.0])?;
//!     saxpy(2.0, &x, &mut y).over(3).block(256).launch(&gpu)?;
//!     assert_eq!(gpu.download(&y)?, [12.0, 24.0, 36.0]);
//!     println!("{}", saxpy::cuda_source()?); // readable CUDA C++
//!     Ok(())
//! }
//! ```
//!
//! One annotated function becomes three things. The *twin* is the body on real Rust types: rustc
//! checks it and the [`simulator`] can run it. The [`witness`] is the same tokens in a closure that is
//! type-checked and never called; its return type spells every type that rustc inferred. The
//! *emitter* records the [`ir`] with those types; [`validate`], [`passes`] and [`codegen`] turn that
//! into CUDA C++, [`nvrtc`] into a cubin, and a [`Launch`] runs it. The simulator interprets the IR, with
//! [`checks`] of every access.

#![deny(missing_docs)]
#![allow(
    clippy::result_large_err,
    reason = "a fault of the simulator ends a launch, and is boxed where it becomes an `Error`"
)]

// The macros spell `::warpsmith`; this crate's own tests and device code use them too.
extern crate self as warpsmith;

pub mod aot;
pub mod args;
pub mod buffer;
pub mod compile;
pub mod device;
pub mod device_api;
pub mod driver;
pub mod dump;
pub mod error;
pub mod global;
pub mod graph;
pub mod host_memory;
pub mod image;
mod interpreter;
pub mod kernel;
pub mod launch;
mod meaning;
pub mod part;
pub mod pitched;
mod pitched_rows;
pub mod printed;
pub mod record;
pub mod reference;
pub mod region;
mod rehearsal;
pub mod report;
pub mod settings;
mod start;
pub mod static_memory;
pub mod stream;
pub mod testing;
pub mod tile;
pub mod tuner;
pub mod types;
mod value_bytes;
pub mod volume;
pub mod witness;

/// The README's code, compiled and run as doctests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

/// As [`Readme`], of the tour.
#[cfg(doctest)]
#[doc = include_str!("../../docs/tour.md")]
struct Tour;

#[doc(hidden)]
#[path = "macro_support.rs"]
pub mod __macro;

#[cfg(test)]
mod module_tests;

use warpsmith_ir::deep_stack;
pub use warpsmith_ir::{codegen, fault, ir, limits, passes, validate};
pub use warpsmith_nvrtc::{cache, nvrtc};
pub use warpsmith_sim::{checks, metrics, simulator};

pub use args::KernelArg;
pub use buffer::Buffer;
pub use compile::{Job, compile_all};
pub use device::Device;
pub use error::{Error, Result};
pub use global::{GpuConst, GpuStatic};
pub use graph::Graph;
pub use host_memory::{ManagedBuffer, PinnedBuffer, Registered};
pub use image::{Image1, Image2, Image3, ImageLayers};
pub use kernel::Kernel;
pub use launch::Launch;
pub use part::{Part, PartMut};
pub use pitched::Pitched2;
pub use record::RecordError;
pub use region::{Part3, PartMut3};
pub use static_memory::{ConstMemory, StaticMemory};
pub use stream::{Event, Stream};
pub use tuner::Tuner;
pub use volume::Pitched3;
pub use warpsmith_macros::{GpuType, gpu_const, gpu_fn, gpu_impl, gpu_kernel, gpu_static, gpu_trait};

/// Everything that kernels and the code around them use.
pub mod prelude {
    pub use crate::device_api::atomic::*;
    pub use crate::device_api::cluster::*;
    pub use crate::device_api::convert::*;
    pub use crate::device_api::copy_async::*;
    pub use crate::device_api::dependency::*;
    pub use crate::device_api::fast::*;
    pub use crate::device_api::fence::*;
    pub use crate::device_api::fp8::*;
    pub use crate::device_api::group::*;
    pub use crate::device_api::hint::*;
    pub use crate::device_api::index::*;
    pub use crate::device_api::int_intrinsics::*;
    pub use crate::device_api::math::*;
    pub use crate::device_api::memory::{
        CacheAccess, bit_cast, load_l2, load_last_use, load_read_only, load_streaming, prefetch_l1,
        prefetch_l2, store_l2, store_streaming, store_through, trap, volatile_load, volatile_store,
    };
    pub use crate::device_api::ordered::{Atomic, atomic, atomic_block, atomic_cluster, atomic_system};
    pub use crate::device_api::packed::*;
    pub use crate::device_api::rounding::*;
    pub use crate::device_api::shared::*;
    pub use crate::device_api::shuffle::*;
    pub use crate::device_api::std_names::{max, min, replace, swap, take};
    pub use crate::device_api::sync::*;
    pub use crate::device_api::time::*;
    pub use crate::device_api::vote::*;
    pub use crate::driver::MemSyncDomain;
    pub use crate::image::{
        AddressMode, Filter, Image1, Image2, Image3, ImageLayers, Sampler, Surface1, Surface2, Surface3,
        SurfaceLayers, Texture1, Texture2, Texture3, TextureLayers,
    };
    pub use crate::tile::{Layout, Padded, RowMajor, Stages, Swizzled, Tile};
    pub use crate::types::ReinterpretArray as _;
    pub use crate::types::vector::*;
    pub use crate::types::{
        AnyBits, Constant, F8E4M3, F8E5M2, Float, GpuType, Int, Num, View, View2, View3, ViewMut, ViewMut2,
        ViewMut3,
    };
    pub use crate::{Buffer, Device, Event, GpuConst, GpuStatic, Graph, Kernel, Launch, Stream};
    pub use core::sync::atomic::Ordering;
    pub use half::{bf16, f16};
    pub use warpsmith_macros::{GpuType, gpu_const, gpu_fn, gpu_impl, gpu_kernel, gpu_static, gpu_trait};
}
